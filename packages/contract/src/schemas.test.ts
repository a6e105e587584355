import { describe, expect, it } from 'vitest';
import { createReader } from './read.ts';
import {
  ContextIdentifier,
  ExceptionResponse,
  ForbiddenProblemDetails,
  Nip,
  OneOf,
  PublicKeyId,
  ReferenceNumber,
  Sha256HashBase64,
  SvcNumber,
} from './schemas.ts';

function faults(schema: Parameters<typeof createReader>[0], input: unknown): number {
  return createReader(schema)(input).failures.length;
}

describe('scalars', () => {
  it.each([
    ['reference number of the right length', ReferenceNumber, 'x'.repeat(36), 0],
    ['reference number too short', ReferenceNumber, 'x'.repeat(35), 1],
    ['NIP', Nip, '5265877635', 0],
    ['NIP without its checksum', Nip, '1234567890', 0],
    ['NIP with hyphens', Nip, '526-587-76', 1],
    ['NIP in other digits', Nip, '526587763٥', 1],
    ['NIP as a number', Nip, 5265877635, 1],
    ['number of 35', SvcNumber, '5265877635-20250826-0100001AF629-AF', 0],
    ['number of 36', SvcNumber, '5265877635-20250826-010000-1AF629-AF', 0],
    ['number in lower case', SvcNumber, '5265877635-20250826-0100001af629-AF', 1],
    ['hash', Sha256HashBase64, 'mkht+3m5trnfxlTYhq3QFn74LkEO69MFNlsMAkCDSPA=', 0],
    ['hash without padding', Sha256HashBase64, 'mkht+3m5trnfxlTYhq3QFn74LkEO69MFNlsMAkCDSPA', 1],
    ['key id', PublicKeyId, 'bCLIk+crwFEhRWdsWVy/MqwpR/8KiEmr+2cFZf1bPv0=', 0],
    ['key id in Base64url', PublicKeyId, 'bCLIk-crwFEhRWdsWVy_MqwpR_8KiEmr-2cFZf1bPv0=', 1],
  ])('%s', (_, schema, input, count) => {
    expect(faults(schema, input)).toBe(count);
  });

  it('reads enumerations whatever the case, and gives the value as the interface spells it', () => {
    const read = createReader(OneOf(['SvcTokenEncryption', 'Other']));
    expect(read('ksefTokenEncryption').value).toBe('SvcTokenEncryption');
    expect(read('OTHER').value).toBe('Other');
    expect(read(1).failures).toHaveLength(1);
  });

  it('reads identifiers', () => {
    expect(createReader(ContextIdentifier)({ Type: 'internalid', VALUE: '5265877635-12346' })).toEqual({
      value: { type: 'InternalId', value: '5265877635-12346' },
      failures: [],
    });
  });
});

describe('error bodies', () => {
  it('fit the published samples', () => {
    const sample = {
      exception: {
        exceptionDetailList: [
          {
            exceptionCode: 21405,
            exceptionDescription: 'Błąd walidacji danych wejściowych.',
            details: ["'dateRange' must not exceed 3 months."],
          },
        ],
        serviceCode: '00-238b3e79ae655282e1cb66fa7cda2ef1-eae10a698c51d223-00',
        timestamp: '2026-03-05T11:11:57.0008044Z',
      },
    };
    expect(faults(ExceptionResponse, sample)).toBe(0);
    expect(faults(ExceptionResponse, { exception: { ...sample.exception, serviceCode: 'x' } })).toBe(1);
  });

  it('know the six reasons of a 403', () => {
    expect((ForbiddenProblemDetails.properties.reasonCode as { enum: string[] }).enum).toEqual([
      'missing-permissions',
      'ip-not-allowed',
      'insufficient-resource-access',
      'auth-method-not-allowed',
      'security-service-blocked',
      'context-type-not-allowed',
    ]);
  });
});
