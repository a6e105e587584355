import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasOpenssl, type OpensslFolder, opensslFolder } from '../../../test/support/openssl.ts';
import { type Certificate, readCertificate } from './certificate.ts';
import { verifyChain } from './verify-chain.ts';

/** Chains made by openssl; where openssl judges too, its verdict must be ours. */
describe.runIf(hasOpenssl)('chains (skipped without openssl)', () => {
  let folder: OpensslFolder;
  const certificates = new Map<string, Certificate>();
  const NOW = Date.UTC(2026, 5, 1);
  const DAY = 86_400_000;

  interface Profile {
    ca?: boolean;
    pathLength?: number;
    usage?: string;
    extra?: string;
    from?: string;
    to?: string;
    subject?: string;
    digest?: string;
    key?: string;
  }

  function issue(name: string, issuer: string, profile: Profile = {}): void {
    const { ca = false, from = '20260101000000Z', to = '20270101000000Z', subject = name } = profile;
    const keyFile = profile.key ?? `${name}.key`;
    if (profile.key === undefined)
      folder.run('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', keyFile);
    folder.run('req', '-new', '-key', keyFile, '-subj', `/CN=${subject}`, '-out', `${name}.csr`, '-config', 'ca.cnf');
    const length = profile.pathLength === undefined ? '' : `,pathlen:${profile.pathLength}`;
    const lines = [
      `basicConstraints=critical,CA:${ca ? 'TRUE' : 'FALSE'}${length}`,
      `keyUsage=critical,${profile.usage ?? (ca ? 'keyCertSign,cRLSign' : 'digitalSignature')}`,
      'subjectKeyIdentifier=hash',
      ...(profile.extra ? [profile.extra] : []),
    ];
    folder.write('ext.cnf', lines.join('\n'));
    const self = issuer === name;
    const by = self ? ['-selfsign', '-keyfile', keyFile] : ['-cert', `${issuer}.pem`, '-keyfile', `${issuer}.key`];
    const times = ['-startdate', from, '-enddate', to, '-md', profile.digest ?? 'sha256'];
    folder.run(
      'ca',
      '-batch',
      '-notext',
      '-config',
      'ca.cnf',
      '-in',
      `${name}.csr`,
      '-out',
      `${name}.pem`,
      '-extfile',
      'ext.cnf',
      ...times,
      ...by,
    );
    certificates.set(name, readCertificate(folder.der(`${name}.pem`)));
  }

  beforeAll(() => {
    folder = opensslFolder();
    folder.write('index', '');
    folder.write('index.attr', 'unique_subject = no\n');
    folder.write(
      'ca.cnf',
      '[ca]\ndefault_ca=d\n[d]\ndatabase=index\nnew_certs_dir=.\nrand_serial=yes\npolicy=p\n[p]\ncommonName=supplied\n[req]\ndistinguished_name=dn\n[dn]\n',
    );
    issue('root', 'root', { ca: true });
    issue('middle', 'root', { ca: true, pathLength: 0 });
    issue('lower', 'middle', { ca: true });
    issue('leaf', 'middle');
    issue('deep', 'lower');
    issue('old', 'middle', { to: '20260201000000Z' });
    issue('new', 'middle', { from: '20260701000000Z' });
    issue('oldMiddle', 'root', { ca: true, to: '20260201000000Z' });
    issue('underOld', 'oldMiddle');
    issue('plain', 'root');
    issue('underPlain', 'plain');
    issue('noSign', 'root', { ca: true, usage: 'cRLSign' });
    issue('underNoSign', 'noSign');
    issue('weak', 'middle', { digest: 'sha1' });
    issue('constrained', 'root', { ca: true, extra: 'nameConstraints=critical,permitted;DNS:.example' });
    issue('underConstrained', 'constrained');
    issue('otherRoot', 'otherRoot', { ca: true, subject: 'root' });
    issue('stranger', 'stranger', { ca: true });
    issue('underStranger', 'stranger');
    issue('crossA', 'root', { ca: true });
    issue('crossB', 'crossA', { ca: true });
    issue('crossA2', 'crossB', { ca: true, subject: 'crossA', key: 'crossA.key' });
    issue('underCross', 'crossA');
    let above = 'root';
    for (let step = 1; step <= 8; step += 1) {
      issue(`step${step}`, above, { ca: true });
      above = `step${step}`;
    }
  }, 60_000);
  afterAll(() => folder.remove());

  const get = (name: string): Certificate => certificates.get(name) as Certificate;
  const verify = (leaf: string, between: string[], anchors: string[], at = NOW) => {
    const verdict = verifyChain(get(leaf), between.map(get), anchors.map(get), at);
    return verdict.ok ? verdict.path.map((c) => c.subject[0]?.value) : verdict.reason;
  };
  const openssl = (leaf: string, between: string[], anchors: string[], at = NOW): boolean => {
    folder.write('anchors.pem', anchors.map((a) => folder.read(`${a}.pem`).toString()).join('\n') || '\n');
    folder.write('between.pem', between.map((a) => folder.read(`${a}.pem`).toString()).join('\n') || '\n');
    const lists = ['-no-CAfile', '-no-CApath', '-partial_chain', '-trusted', 'anchors.pem'];
    const untrusted = between.length > 0 ? ['-untrusted', 'between.pem'] : [];
    const options = ['-attime', String(at / 1000), '-x509_strict', '-auth_level', '1', ...untrusted];
    return folder.judge('verify', ...options, ...lists, `${leaf}.pem`).ok;
  };

  const noise = ['underStranger', 'stranger', 'plain'];
  it.each<[string, string, string[], string[], string | string[]]>([
    ['a good chain', 'leaf', ['middle'], ['root'], ['leaf', 'middle', 'root']],
    [
      'a good chain among others',
      'leaf',
      [...noise, 'middle', ...noise],
      ['stranger', 'root'],
      ['leaf', 'middle', 'root'],
    ],
    ['a chain to a configured authority that is no root', 'leaf', [], ['middle'], ['leaf', 'middle']],
    ['the root sent along', 'leaf', ['middle', 'root'], ['root'], ['leaf', 'middle', 'root']],
    ['an expired leaf', 'old', ['middle'], ['root'], 'expired'],
    ['a leaf of the future', 'new', ['middle'], ['root'], 'not-yet-valid'],
    ['an expired issuer', 'underOld', ['oldMiddle'], ['root'], 'expired'],
    ['a missing issuer', 'leaf', [], ['root'], 'chain-broken'],
    ['no anchors', 'leaf', ['middle'], [], 'chain-broken'],
    ['a foreign root', 'underStranger', ['stranger'], ['root'], 'untrusted-root'],
    ['a self-signed leaf', 'stranger', [], ['root'], 'untrusted-root'],
    ['an issuer without CA', 'underPlain', ['plain'], ['root'], 'not-an-authority'],
    ['an issuer without keyCertSign', 'underNoSign', ['noSign'], ['root'], 'not-an-authority'],
    ['more authorities than the path length allows', 'deep', ['lower', 'middle'], ['root'], 'path-too-long'],
    ['a root of the same name and another key', 'leaf', ['middle'], ['otherRoot'], 'bad-signature'],
    ['both roots of one name', 'leaf', ['middle'], ['otherRoot', 'root'], ['leaf', 'middle', 'root']],
    [
      'a critical extension nobody enforces',
      'underConstrained',
      ['constrained'],
      ['root'],
      'unknown-critical-extension',
    ],
    ['a circle of authorities', 'underCross', ['crossA2', 'crossB'], ['root'], 'chain-broken'],
    [
      'a circle with a way out',
      'underCross',
      ['crossA2', 'crossB', 'crossA'],
      ['root'],
      ['underCross', 'crossA', 'root'],
    ],
    [
      'eight certificates',
      'step7',
      ['step1', 'step2', 'step3', 'step4', 'step5', 'step6'],
      ['root'],
      ['step7', 'step6', 'step5', 'step4', 'step3', 'step2', 'step1', 'root'],
    ],
  ])('%s', (_, leaf, between, anchors, expected) => {
    expect(verify(leaf, between, anchors)).toEqual(expected);
    // openssl understands name constraints, which is the one difference.
    if (expected !== 'unknown-critical-extension')
      expect(openssl(leaf, between, anchors)).toBe(Array.isArray(expected));
  });

  it('refuses SHA-1 below the anchor', () => {
    expect(verify('weak', ['middle'], ['root'])).toBe('weak-algorithm');
  });

  it('refuses nine certificates', () => {
    const between = ['step1', 'step2', 'step3', 'step4', 'step5', 'step6', 'step7'];
    expect(verify('step8', between, ['root'])).toBe('path-too-long');
  });

  it('counts the last second of validity and not the one after', () => {
    const end = get('old').notAfter;
    expect(verify('old', ['middle'], ['root'], end)).toBeInstanceOf(Array);
    expect(verify('old', ['middle'], ['root'], end + 999)).toBeInstanceOf(Array);
    expect(verify('old', ['middle'], ['root'], end + 1000)).toBe('expired');
    expect(verify('old', ['middle'], ['root'], get('old').notBefore - 1)).toBe('not-yet-valid');
    expect(verify('leaf', ['middle'], ['root'], NOW + 400 * DAY)).toBe('expired');
  });

  it('does not multiply its work over a heap of certificates of one name', () => {
    const heap = Array.from({ length: 5000 }, (_, index) => ({ ...get('otherRoot'), fingerprint: `${index}` }));
    const verdict = verifyChain(get('middle'), heap, [get('stranger')], NOW);
    expect(verdict).toMatchObject({ ok: false });
  });
});
