import { BlockList, isIP } from 'node:net';

/** Whom a block is about: a context, or `Address` with one address, a range (`a-b`) or a network (`a/24`). */
export interface Blocked {
  type: string;
  value: string;
}

export const ADDRESS = 'Address';

const LONGEST_PREFIX = { ipv4: 32, ipv6: 128 } as const;

/** Whether an address is meant; undefined when the text means none. */
export function readAddresses(text: string): ((address: string) => boolean) | undefined {
  const list = new BlockList();
  const [first = '', rest] = text.split(/[-/]/, 2);
  const family = familyOf(first);
  if (family === undefined || text.split(/[-/]/).length > 2) return undefined;
  if (text.includes('/')) {
    const prefix = /^\d{1,3}$/.test(rest ?? '') ? Number(rest) : Number.NaN;
    if (!(prefix <= LONGEST_PREFIX[family])) return undefined;
    list.addSubnet(first, prefix, family);
  } else if (text.includes('-')) {
    if (rest === undefined || familyOf(rest) !== family || !addRange(list, first, rest, family)) return undefined;
  } else list.addAddress(first, family);
  return (address) => {
    const asked = familyOf(address);
    // An IPv4 address in IPv6 clothes is found among the IPv4 ones by the list itself.
    return asked !== undefined && list.check(address, asked);
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6';
}

/** False when it is written the wrong way round. */
function addRange(list: BlockList, first: string, last: string, family: 'ipv4' | 'ipv6'): boolean {
  try {
    list.addRange(first, last, family);
    return true;
  } catch {
    return false;
  }
}
