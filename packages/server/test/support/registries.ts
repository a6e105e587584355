import type { InternalCertificate, Registries } from '../../src/auth/seams.ts';
import type { ContextIdentifier, SubjectIdentifier } from '../../src/platform/caller.ts';

/**
 * Registries of a test: the owner rule and whatever a test puts in. The real ones belong to the capabilities behind the seams;
 * these are only what logins ask, so that logins can be tested without them.
 */
export interface TestRegistries extends Registries {
  grant(subject: SubjectIdentifier, context: ContextIdentifier, ...permissions: string[]): void;
  revokeAll(subject: SubjectIdentifier, context: ContextIdentifier): void;
  bailiffs: Set<string>;
  deceased: Set<string>;
  blocked: Set<string>;
  /** PESEL by NIP. */
  links: Map<string, string>;
  certificates: Map<string, InternalCertificate>;
  usedCertificates: string[];
}

const OWNER_SET = [
  'InvoiceWrite',
  'InvoiceRead',
  'CredentialsManage',
  'CredentialsRead',
  'SubunitManage',
  'Introspection',
];

export function testRegistries(): TestRegistries {
  const grants = new Map<string, Set<string>>();
  const keyOf = (subject: SubjectIdentifier, context: ContextIdentifier) =>
    `${subject.type} ${subject.value} in ${context.type} ${context.value}`;
  const registries: TestRegistries = {
    bailiffs: new Set(),
    deceased: new Set(),
    blocked: new Set(),
    links: new Map(),
    certificates: new Map(),
    usedCertificates: [],
    grant(subject, context, ...permissions) {
      grants.set(keyOf(subject, context), new Set(permissions));
    },
    revokeAll(subject, context) {
      grants.set(keyOf(subject, context), new Set());
    },
    async linkedIdentifiers(subject) {
      const found: SubjectIdentifier[] = [subject];
      for (const [nip, pesel] of registries.links) {
        if (subject.type === 'Nip' && subject.value === nip) found.push({ type: 'Pesel', value: pesel });
        if (subject.type === 'Pesel' && subject.value === pesel) found.push({ type: 'Nip', value: nip });
      }
      return found;
    },
    async permissionsOf(subject, context, now, on) {
      const identifiers = await registries.linkedIdentifiers(subject, now, on);
      const roles = registries.bailiffs.has(context.value) ? ['CourtBailiff'] : [];
      if (context.type === 'PeppolId')
        return { permissions: subject.value === context.value ? ['PefInvoiceWrite'] : [], roles: [] };
      const held = new Set(identifiers.flatMap((one) => [...(grants.get(keyOf(one, context)) ?? [])]));
      const isOwner = identifiers.some((one) => one.type === 'Nip' && one.value === context.value);
      // A grant set explicitly to nothing takes ownership away as well: some tests need an owner who lost everything.
      const isStripped = grants.get(keyOf(subject, context))?.size === 0;
      if (!isOwner || context.type !== 'Nip' || isStripped) return { permissions: [...held], roles };
      const extra = [...held].filter((permission) => !OWNER_SET.includes(permission));
      const enforcing = roles.length > 0 ? ['EnforcementOperations'] : [];
      return { permissions: ['Owner', ...enforcing, ...extra], roles };
    },
    async isDeceased(subject, now, on) {
      const identifiers = await registries.linkedIdentifiers(subject, now, on);
      return identifiers.some(({ type, value }) => type === 'Pesel' && registries.deceased.has(value));
    },
    async standingOf(subject, context, now, on) {
      return {
        isBlocked: registries.blocked.has(context.value),
        isDeceased: await registries.isDeceased(subject, now, on),
        ...(await registries.permissionsOf(subject, context, now, on)),
      };
    },
    async internalCertificate(serialHex) {
      return registries.certificates.get(serialHex);
    },
    async internalCertificateUsed(serialHex) {
      registries.usedCertificates.push(serialHex);
    },
  };
  return registries;
}
