import { craft } from '../craft.fixture.ts';
import { type Attack, VICTIM } from './attack.fixture.ts';

export const entities: Attack[] = [
  ['an internal entity as NIP', `<!DOCTYPE AuthTokenRequest [<!ENTITY n "${VICTIM}">]>`, '&n;'],
  ['an external entity', '<!DOCTYPE AuthTokenRequest [<!ENTITY n SYSTEM "file:///etc/hostname">]>', '&n;'],
  [
    'an external parameter entity',
    '<!DOCTYPE AuthTokenRequest [<!ENTITY % p SYSTEM "http://127.0.0.1/x"> %p;]>',
    VICTIM,
  ],
  ['an empty DOCTYPE', '<!DOCTYPE AuthTokenRequest>', VICTIM],
  [
    'billion laughs',
    `<!DOCTYPE x [<!ENTITY a0 "ha">${Array.from({ length: 30 }, (_, i) => `<!ENTITY a${i + 1} "&a${i};&a${i};&a${i};&a${i};">`).join('')}]>`,
    '&a30;',
  ],
  ['an entity nobody declared', '', '&n;'],
].map(([name, doctype, nip]) => ({
  name: name as string,
  build: () => (doctype as string) + craft().replace(`<Nip>${VICTIM}`, `<Nip>${nip}`),
  code: 21001,
  says: /DOCTYPE|[Ee]ntity|amplification/,
}));
