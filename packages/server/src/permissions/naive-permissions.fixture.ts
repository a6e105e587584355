import type { World } from './random-world.fixture.ts';

/**
 * The rules read word by word over the whole world, one sentence at a time, slow and without any sharing with the real function:
 * it asks for each permission whether some sentence gives it.
 */
type Id = { type: string; value: string };

export function naivePermissions(world: World, subject: Id, context: Id, at: number): string[] {
  const isLive = (row: { startDate: number; endDate?: number | undefined }) =>
    !(row.startDate > at) && !(row.endDate !== undefined && row.endDate <= at);
  const persons = world.persons.filter(isLive);
  const roles = world.roles.filter(isLive);
  const grants = world.grants.filter(isLive);
  const text = (id: Id) => `${id.type}:${id.value}`;

  // "Both identifiers are one subject."
  const me = new Set([text(subject)]);
  for (const p of persons) {
    if (me.has(`Nip:${p.nip}`) || me.has(`Pesel:${p.pesel}`)) {
      me.add(`Nip:${p.nip}`);
      me.add(`Pesel:${p.pesel}`);
    }
  }
  // "A deceased person has no effective permissions."
  if (persons.some((p) => p.isDeceased && (me.has(`Nip:${p.nip}`) || me.has(`Pesel:${p.pesel}`)))) return [];
  // "A Peppol provider in its own PeppolId context holds PefInvoiceWrite, always." Nobody else is there.
  if (context.type === 'PeppolId') return text(subject) === text(context) ? ['PefInvoiceWrite'] : [];

  const rolesHere = context.type === 'Nip' ? roles.filter((r) => r.nip === context.value) : [];
  const enforcing = rolesHere.some((r) => ['CourtBailiff', 'EnforcementAuthority'].includes(r.role));
  const owner = context.type === 'Nip' && me.has(text(context));

  const sentences: ((permission: string) => boolean)[] = [
    // 1, 2: the owner
    (p) =>
      owner &&
      'InvoiceWrite InvoiceRead CredentialsManage CredentialsRead SubunitManage Introspection'.split(' ').includes(p),
    (p) => owner && enforcing && p === 'EnforcementOperations',
    // 5, 7: a person grant, in its context and only there
    (p) =>
      grants.some(
        (g) => g.kind === 'Person' && me.has(text(g.subject)) && text(g.worksIn) === text(context) && g.scope === p,
      ) &&
      (p !== 'EnforcementOperations' || enforcing),
    // 8: an entity grant gives whoever authenticates with the NIP
    (p) =>
      grants.some(
        (g) => g.kind === 'Entity' && me.has(text(g.subject)) && text(g.worksIn) === text(context) && g.scope === p,
      ),
    // 11: selective
    (p) =>
      grants.some(
        (i) =>
          i.kind === 'Indirect' &&
          i.scope === p &&
          me.has(text(i.subject)) &&
          text(i.worksIn) === text(context) &&
          grants.some(
            (e) =>
              e.kind === 'Entity' &&
              e.canDelegate &&
              e.scope === p &&
              text(e.worksIn) === text(context) &&
              text(e.subject) === text(i.grantor),
          ),
      ),
    // 11: general, for every client that delegates
    (p) =>
      grants
        .filter((e) => e.kind === 'Entity' && e.canDelegate && e.scope === p && text(e.worksIn) === text(context))
        .some((e) =>
          grants.some(
            (i) =>
              i.kind === 'Indirect' &&
              i.scope === p &&
              me.has(text(i.subject)) &&
              i.worksIn.type === 'AllPartners' &&
              text(i.grantor) === text(e.subject),
          ),
        ),
    // 14, 15: administrator of a unit, or of a subordinate NIP while it is subordinate
    (p) =>
      p === 'CredentialsManage' &&
      grants.some(
        (g) =>
          g.kind === 'SubunitAdmin' &&
          me.has(text(g.subject)) &&
          text(g.worksIn) === text(context) &&
          (context.type === 'InternalId' ||
            rolesHere.some(
              (r) => /^(LocalGovernment|VatGroup)SubUnit$/.test(r.role) && `Nip:${r.parentNip}` === text(g.grantor),
            )),
      ),
    // 18, 19: administrators and representatives of EU entities
    (p) =>
      context.type === 'NipVatUe' &&
      grants.some(
        (g) => /^Eu/.test(g.kind) && me.has(text(g.subject)) && g.worksIn.value === context.value && g.scope === p,
      ),
  ];
  const all =
    'InvoiceWrite InvoiceRead CredentialsManage CredentialsRead SubunitManage Introspection EnforcementOperations VatUeManage PefInvoiceWrite';
  return all.split(' ').filter((p) => sentences.some((gives) => gives(p)));
}
