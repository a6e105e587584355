/** How the text of a flag or variable becomes a value, and what is said when it does not. */
export interface Setting<T> {
  flag: string;
  variable: string;
  fallback: T;
  /** Turns text into a value, or throws a sentence that says what is allowed. */
  read: (text: string) => T;
  allowed: string;
  meaning: string;
  secret?: boolean;
}

export function setting<T>(definition: Setting<T>): Setting<T> {
  return definition;
}

export const text = (value: string): string => value;

export function oneOf<const V extends string>(...values: V[]): Pick<Setting<V>, 'read' | 'allowed'> {
  const byCase = new Map(values.map((v) => [v.toLowerCase(), v]));
  return {
    allowed: values.join(' | '),
    read: (value) => {
      const found = byCase.get(value.toLowerCase());
      if (found === undefined) throw new Error(values.join(' | '));
      return found;
    },
  };
}

export function integer(minimum: number, maximum: number): Pick<Setting<number>, 'read' | 'allowed'> {
  const allowed = `a whole number from ${minimum} to ${maximum}`;
  return {
    allowed,
    read: (value) => {
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
      if (!(number >= minimum && number <= maximum)) throw new Error(allowed);
      return number;
    },
  };
}

/** Longer than any status is shown, so that 410 is answered before a record is gone. */
const SHORTEST_RETENTION_DAYS = 31;
const LONGEST_RETENTION_DAYS = 36_500;

export const retentionDays: Pick<Setting<number>, 'read' | 'allowed'> = {
  allowed: `0, or a whole number from ${SHORTEST_RETENTION_DAYS} to ${LONGEST_RETENTION_DAYS}`,
  read: (value) => (value === '0' ? 0 : integer(SHORTEST_RETENTION_DAYS, LONGEST_RETENTION_DAYS).read(value)),
};

export const onOff: Pick<Setting<boolean>, 'read' | 'allowed'> = {
  allowed: 'on | off',
  read: (value) => {
    const known = new Map([
      ['on', true],
      ['true', true],
      ['1', true],
      ['yes', true],
      ['off', false],
      ['false', false],
      ['0', false],
      ['no', false],
    ]).get(value.toLowerCase());
    if (known === undefined) throw new Error('on | off');
    return known;
  },
};

export function url(...schemes: string[]): Pick<Setting<string>, 'read' | 'allowed'> {
  const allowed = `an address starting with ${schemes.map((s) => `${s}://`).join(' or ')}`;
  return {
    allowed,
    read: (value) => {
      if (!URL.canParse(value) || !schemes.includes(new URL(value).protocol.slice(0, -1))) throw new Error(allowed);
      return value.replace(/\/+$/, '');
    },
  };
}

export const PROXY = /^(?:[0-9a-f:.]+(?:\/\d{1,3})?|loopback|linklocal|uniquelocal)$/i;
