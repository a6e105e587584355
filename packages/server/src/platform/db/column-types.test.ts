import fc from 'fast-check';
import pg from 'pg';
import { expect, it } from 'vitest';
import { columnTypes } from './column-types.ts';

const TIMESTAMPTZ = 1184;
const read = columnTypes.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => Date | number;
const readByDriver = pg.types.getTypeParser(TIMESTAMPTZ as number, 'text') as (text: string) => Date | number;

it('reads every moment PostgreSQL writes as the driver does, in UTC and elsewhere', () => {
  const moment = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true });
  const fraction = fc.stringMatching(/^(?:\.\d{0,5}[1-9])?$/);
  const zone = fc.constantFrom('+00', '+01', '-05', '+05:30', '+00 BC');
  fc.assert(
    fc.property(moment, fraction, zone, (date, digits, offset) => {
      const text = `${date.toISOString().slice(0, 19).replace('T', ' ')}${digits}${offset}`;
      expect(read(text)).toEqual(readByDriver(text));
    }),
  );
});

it.each(['infinity', '-infinity', '10000-01-01 00:00:00+00', '294276-12-31 23:59:59.999999+00'])('reads %s', (text) => {
  expect(read(text)).toEqual(readByDriver(text));
});
