import { sampleInvoice } from '@kwit/client/sample-invoices';
import { fingerprintCertificate, peppolCertificate, personCertificate } from '@kwit/client/test-certificates';
import * as permissions from '@kwit/contract/permission-endpoints';
import * as queries from '@kwit/contract/permission-query-endpoints';
import type { Authorization } from '@kwit/contract/permissions';
import * as testData from '@kwit/contract/testdata-endpoints';
import { describe, expect, test } from 'vitest';
import { type Actor, FA3, logIn, openSession, sendAndJudge } from '../../test/support/actors.ts';
import { startTestService } from '../../test/support/service.ts';

const service = await startTestService();
const today = new Date(service.clock.now()).toISOString().slice(0, 10);
const validFrom = service.clock.now() - 3_600_000;
const details = { fullName: 'Podmiot testowy' };
let counter = 0;

/** One seller a case, so that cases do not see each other's grants. */
const NIPS = [
  '5265877635',
  '1234563218',
  '7762811692',
  '6824515772',
  '8225900795',
  '8980017188',
  '1111111111',
  '9999999999',
  '6351111111',
  '6451111144',
  '6651887777',
  '2222222222',
  '3333333333',
  '4444444444',
];
const nips = NIPS.values();
const nextNip = () => nips.next().value as string;

type Sample = NonNullable<Parameters<typeof sampleInvoice>[0]>;

async function judged(actor: Actor, change: Sample, formCode = FA3) {
  counter += 1;
  const session = await openSession(actor, formCode);
  const { status } = await sendAndJudge(
    service,
    actor,
    session,
    sampleInvoice({ number: `I/${counter}`, issueDate: today, ...change }),
  );
  return status;
}

const authorize = async (
  seller: Actor,
  subject: { type: 'Nip' | 'PeppolId'; value: string },
  permission: Authorization,
) => {
  await seller.transport.call(permissions.grantAuthorization, {
    token: seller.token,
    body: { subjectIdentifier: subject, permission, description: 'do testu', subjectDetails: details },
  });
  await service.drain();
};

const foreign = (context: string, seller: string) => ({
  code: 410,
  description: 'Nieprawidłowy zakres uprawnień',
  details: [`Kontekst ${context} nie jest uprawniony do wystawienia faktury w imieniu sprzedawcy (NIP: ${seller})`],
});

describe('who may issue for whom', () => {
  test('self-invoicing: the grant and the mark in the document, and no longer than the grant', async () => {
    const [sellerNip, buyerNip] = [nextNip(), nextNip()];
    const seller = await logIn(service, sellerNip);
    const buyer = await logIn(service, buyerNip);
    const document = {
      seller: { nip: sellerNip, name: 'S' },
      buyer: { nip: buyerNip, name: 'B' },
      selfInvoicing: true,
    };
    expect(await judged(buyer, document)).toEqual(foreign(buyerNip, sellerNip));
    await authorize(seller, { type: 'Nip', value: buyerNip }, 'SelfInvoicing');
    expect((await judged(buyer, document)).code).toBe(200);
    expect(await judged(buyer, { ...document, selfInvoicing: false })).toEqual(foreign(buyerNip, sellerNip));
    const granted = await seller.transport.call(queries.queryAuthorizationGrants, {
      token: seller.token,
      body: { queryType: 'Granted' } as never,
      query: {},
    });
    const [grant] = (granted as { authorizationGrants: { id: string }[] }).authorizationGrants;
    await seller.transport.call(permissions.revokeAuthorization, {
      token: seller.token,
      params: { permissionId: grant?.id ?? '' },
    });
    await service.drain();
    expect(await judged(buyer, document)).toEqual(foreign(buyerNip, sellerNip));
  });

  test('tax representative: the grant, and the document names the representative', async () => {
    const [sellerNip, agentNip, buyerNip] = [nextNip(), nextNip(), '1234563218'];
    const agent = await logIn(service, agentNip);
    const document = {
      seller: { nip: sellerNip, name: 'S' },
      buyer: { nip: buyerNip, name: 'B' },
      authorized: { nip: agentNip, name: 'P', role: 3 },
    };
    expect(await judged(agent, document)).toEqual(foreign(agentNip, sellerNip));
    await authorize(await logIn(service, sellerNip), { type: 'Nip', value: agentNip }, 'TaxRepresentative');
    expect((await judged(agent, document)).code).toBe(200);
    expect(await judged(agent, { ...document, authorized: { nip: agentNip, name: 'P', role: 1 } })).toEqual(
      foreign(agentNip, sellerNip),
    );
  });

  test('RR invoices are issued by the buyer, with the farmer as seller', async () => {
    const [farmer, buyerNip] = [nextNip(), nextNip()];
    const buyer = await logIn(service, buyerNip);
    const form = { systemCode: 'FA_RR (1)', schemaVersion: '1-1E', value: 'FA_RR' };
    const document: Sample = {
      form: 'FA_RR (1)',
      seller: { nip: farmer, name: 'Rolnik' },
      buyer: { nip: buyerNip, name: 'B' },
    };
    expect(await judged(buyer, document, form)).toEqual(foreign(buyerNip, farmer));
    await authorize(await logIn(service, farmer), { type: 'Nip', value: buyerNip }, 'RRInvoicing');
    expect((await judged(buyer, document, form)).code).toBe(200);
  });

  test('a Peppol provider needs the grant of the seller', async () => {
    const sellerNip = nextNip();
    const provider = await logIn(service, '', {
      context: { type: 'PeppolId', value: 'PPL123456' },
      certificate: peppolCertificate({ peppolId: 'PPL123456', name: 'Dostawca' }, { validFrom }),
    });
    const form = { systemCode: 'PEF (3)', schemaVersion: '2-1', value: 'PEF' };
    const document: Sample = {
      form: 'PEF (3)',
      seller: { nip: sellerNip, name: 'S' },
      buyer: { nip: '1234563218', name: 'B' },
    };
    expect(await judged(provider, document, form)).toEqual(foreign('PPL123456', sellerNip));
    await authorize(await logIn(service, sellerNip), { type: 'PeppolId', value: 'PPL123456' }, 'PefInvoicing');
    expect((await judged(provider, document, form)).code).toBe(200);
  });

  test.each([
    ['a member of a VAT group', 'VatGroup', 9],
    ['a unit of local government', 'JST', 7],
  ] as const)('%s issues for the whole when the document says so', async (_, subjectType, role) => {
    const [groupNip, memberNip] = [nextNip(), nextNip()];
    const { transport } = await logIn(service, memberNip);
    await transport.call(testData.createSubject, {
      body: {
        subjectNip: groupNip,
        subjectType,
        description: 'całość',
        subunits: [{ subjectNip: memberNip, description: 'część' }],
      },
    });
    const member = await logIn(service, memberNip);
    const document = {
      seller: { nip: groupNip, name: 'G' },
      buyer: { nip: '1234563218', name: 'B' },
      thirdParties: [{ nip: memberNip, name: 'M', role }],
    };
    expect((await judged(member, document)).code).toBe(200);
    expect(await judged(member, { ...document, thirdParties: [{ nip: memberNip, name: 'M', role: 1 }] })).toEqual(
      foreign(memberNip, groupNip),
    );
  });

  test('a bailiff issues for any debtor, and only as a bailiff', async () => {
    const bailiffNip = '8567346215';
    const debtor = '5265877635';
    const { transport } = await logIn(service, bailiffNip);
    await transport.call(testData.createPerson, {
      body: { nip: bailiffNip, pesel: '44051401359', isBailiff: true, description: 'komornik' },
    });
    const bailiff = await logIn(service, bailiffNip);
    const document = {
      seller: { nip: debtor, name: 'D' },
      buyer: { nip: '1234563218', name: 'B' },
      authorized: { nip: bailiffNip, name: 'K', role: 2 },
    };
    expect((await judged(bailiff, document)).code).toBe(200);
    expect(await judged(bailiff, { ...document, authorized: { nip: bailiffNip, name: 'K', role: 1 } })).toEqual(
      foreign(bailiffNip, debtor),
    );
  });

  test('an internal unit issues for its NIP, once its administrator was let in', async () => {
    const nip = '5265877635';
    const unit = { type: 'InternalId' as const, value: '5265877635-12346' };
    const owner = await logIn(service, nip);
    const pesel = '15062788702';
    const personDetails = {
      subjectDetailsType: 'PersonByIdentifier' as const,
      personById: { firstName: 'Anna', lastName: 'Nowak' },
    };
    const certificate = personCertificate({ givenName: 'Anna', surname: 'Nowak', pesel }, { validFrom });
    await owner.transport.call(permissions.grantSubunitAdministration, {
      token: owner.token,
      body: {
        subjectIdentifier: { type: 'Pesel', value: pesel },
        contextIdentifier: unit,
        description: 'oddział',
        subunitName: 'Oddział',
        subjectDetails: personDetails,
      },
    });
    await service.drain();
    const administrator = await logIn(service, '', { context: unit, certificate });
    await administrator.transport.call(permissions.grantPersonPermissions, {
      token: administrator.token,
      body: {
        subjectIdentifier: { type: 'Pesel', value: pesel },
        permissions: ['InvoiceWrite'],
        description: 'wysyłka',
        subjectDetails: personDetails,
      },
    });
    await service.drain();
    const sender = await logIn(service, '', { context: unit, certificate });
    const document = { seller: { nip, name: 'S' }, buyer: { nip: '1234563218', name: 'B' } };
    expect((await judged(sender, document)).code).toBe(200);
    expect(await judged(sender, { ...document, seller: { nip: '1234563218', name: 'X' } })).toEqual(
      foreign(unit.value, '1234563218'),
    );
  });

  test('an EU entity bills itself for its Polish counterpart', async () => {
    const nip = '5265877635';
    const context = { type: 'NipVatUe' as const, value: `${nip}-DE123456789` };
    const owner = await logIn(service, nip);
    const certificate = fingerprintCertificate({ givenName: 'Max', surname: 'Muster', country: 'DE' }, { validFrom });
    await owner.transport.call(permissions.grantEuAdministration, {
      token: owner.token,
      body: {
        subjectIdentifier: { type: 'Fingerprint', value: certificate.fingerprint },
        contextIdentifier: context,
        description: 'administrator',
        euEntityName: 'Muster GmbH',
        subjectDetails: {
          subjectDetailsType: 'EntityByFingerprint',
          entityByFp: { fullName: 'Muster GmbH', address: 'Berlin' },
        },
        euEntityDetails: { fullName: 'Muster GmbH', address: 'Berlin' },
      },
    });
    await service.drain();
    const entity = await logIn(service, '', { context, certificate, by: 'certificateFingerprint' });
    const document = {
      seller: { nip, name: 'S' },
      buyer: { vatUe: ['DE', '123456789'] as const, name: 'Muster GmbH' },
      selfInvoicing: true,
    };
    expect((await judged(entity, document)).code).toBe(200);
    expect(await judged(entity, { ...document, selfInvoicing: false })).toEqual(foreign(context.value, nip));
  });
});

describe('attachments', () => {
  test('not in an interactive session, whatever the consent; as a technical correction only with it', async () => {
    const nip = '8225900795';
    const actor = await logIn(service, nip);
    const document: Sample = { seller: { nip, name: 'S' }, buyer: { nip: '1234563218', name: 'B' }, attachment: true };
    expect(await judged(actor, document)).toEqual({
      code: 415,
      description: 'Brak możliwości wysyłania faktury z załącznikiem',
    });
    await actor.transport.call(testData.allowAttachments, { body: { nip } });
    expect((await judged(actor, document)).code).toBe(415);
    const session = await openSession(actor);
    const correction = { offlineMode: true, hashOfCorrectedInvoice: Buffer.alloc(32, 7).toString('base64') };
    const send = (number: string) =>
      sendAndJudge(service, actor, session, sampleInvoice({ ...document, number, issueDate: today }), correction);
    expect((await send('A/1')).status.code).toBe(200);
    await actor.transport.call(testData.revokeAttachments, { body: { nip } });
    const other = { ...correction, hashOfCorrectedInvoice: Buffer.alloc(32, 8).toString('base64') };
    const refused = await sendAndJudge(
      service,
      actor,
      session,
      sampleInvoice({ ...document, number: 'A/2', issueDate: today }),
      other,
    );
    expect(refused.status).toMatchObject({
      code: 410,
      details: [`Sprzedawca ${nip} nie posiada zgody do wysyłania faktur z załącznikami`],
    });
  });
});
