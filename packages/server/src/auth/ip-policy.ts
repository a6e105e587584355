/** Which addresses may use the tokens of a session. Lists are joined by "or"; IPv4 only, as the schema knows nothing else. */
export interface AllowedIps {
  ip4Addresses: readonly string[];
  ip4Ranges: readonly string[];
  ip4Masks: readonly string[];
}

/** Lists as they arrive: any of them may be missing. */
export interface RequestedIps {
  ip4Addresses?: readonly string[] | null | undefined;
  ip4Ranges?: readonly string[] | null | undefined;
  ip4Masks?: readonly string[] | null | undefined;
}

/** No policy, or one whose lists are all empty, restricts nothing and leaves no trace in the tokens. */
export function restriction(requested: RequestedIps | null | undefined): AllowedIps | undefined {
  const policy = {
    ip4Addresses: requested?.ip4Addresses ?? [],
    ip4Ranges: requested?.ip4Ranges ?? [],
    ip4Masks: requested?.ip4Masks ?? [],
  };
  const entries = policy.ip4Addresses.length + policy.ip4Ranges.length + policy.ip4Masks.length;
  return entries === 0 ? undefined : policy;
}

const OCTETS = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** The address as a number, or undefined when it is not dotted IPv4. An IPv4-mapped IPv6 address counts as IPv4. */
export function ip4Number(address: string): number | undefined {
  const match = OCTETS.exec(address.toLowerCase().startsWith('::ffff:') ? address.slice(7) : address);
  if (!match) return undefined;
  let number = 0;
  for (const octet of match.slice(1)) {
    if (Number(octet) > 255) return undefined;
    number = number * 256 + Number(octet);
  }
  return number;
}

function inRange(range: string, address: number): boolean {
  const [first, last] = range.split('-').map(ip4Number);
  return first !== undefined && last !== undefined && first <= address && address <= last;
}

function inMask(mask: string, address: number): boolean {
  const [network, bits] = mask.split('/');
  const base = ip4Number(network ?? '');
  if (base === undefined || bits === undefined || !/^\d{1,2}$/.test(bits) || Number(bits) > 32) return false;
  const size = 2 ** (32 - Number(bits));
  return Math.floor(base / size) === Math.floor(address / size);
}

/** An IPv6 caller never matches a policy. */
export function isAllowed(policy: AllowedIps | undefined, clientIp: string): boolean {
  if (policy === undefined) return true;
  const address = ip4Number(clientIp);
  if (address === undefined) return false;
  return (
    policy.ip4Addresses.some((allowed) => ip4Number(allowed) === address) ||
    policy.ip4Ranges.some((range) => inRange(range, address)) ||
    policy.ip4Masks.some((mask) => inMask(mask, address))
  );
}

/** Ranges written the wrong way round match nothing, so they are refused instead of locking their author out. */
export function reversedRanges(ranges: readonly string[]): number[] {
  return ranges.flatMap((range, index) => {
    const [first, last] = range.split('-').map(ip4Number);
    return first !== undefined && last !== undefined && first > last ? [index] : [];
  });
}
