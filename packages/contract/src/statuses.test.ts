import { describe, expect, it } from 'vitest';
import { SESSION_STATUS_CODES } from './enumerations.ts';
import {
  AUTHENTICATION_STATUS,
  BATCH_SESSION_STATUS,
  ENROLLMENT_STATUS,
  EXPORT_STATUS,
  INTERACTIVE_SESSION_STATUS,
  INVOICE_STATUS,
  PERMISSION_OPERATION_STATUS,
  type StatusCatalogue,
  statusInfo,
} from './statuses.ts';

/** Index of the interface, written down a second time: which codes exist, and which of them are not final. */
const INDEX: [string, StatusCatalogue, number[], number[]][] = [
  ['authentication', AUTHENTICATION_STATUS, [100, 200, 415, 425, 450, 460, 470, 480, 500, 550], [100]],
  ['export', EXPORT_STATUS, [100, 200, 210, 415, 420, 500, 550], [100]],
  ['enrollment', ENROLLMENT_STATUS, [100, 200, 400, 500, 550], [100]],
  ['permission', PERMISSION_OPERATION_STATUS, [100, 200, 400, 410, 420, 430, 440, 450, 500, 550], [100]],
  ['batch', BATCH_SESSION_STATUS, [100, 150, 200, 405, 415, 420, 430, 435, 440, 445, 500], [100, 150]],
  ['interactive', INTERACTIVE_SESSION_STATUS, [100, 170, 200, 415, 440, 445, 500], [100, 170]],
  ['invoice', INVOICE_STATUS, [100, 150, 200, 405, 410, 415, 430, 435, 440, 450, 500, 550], [100, 150]],
];

describe.each(INDEX)('%s', (_, catalogue, codes, running) => {
  it('has the codes of the interface', () => {
    expect(Object.keys(catalogue).map(Number)).toEqual(codes);
  });

  it('ends where the interface says', () => {
    expect(codes.filter((code) => catalogue[code]?.terminal !== true)).toEqual(running);
  });

  it('says nothing beside a state that is not a failure', () => {
    for (const code of codes.filter((c) => c < 400)) expect(catalogue[code]?.details).toEqual([]);
  });

  it('has trimmed texts', () => {
    for (const status of Object.values(catalogue)) {
      for (const text of [status.description, ...status.details]) expect(text).toBe(text.trim());
    }
  });
});

describe('bodies', () => {
  it('leave empty details out', () => {
    expect(statusInfo(INVOICE_STATUS, 200)).toEqual({ code: 200, description: 'Sukces' });
    expect(statusInfo(INVOICE_STATUS, 450, ['Nieprawidłowy XML'])).toEqual({
      code: 450,
      description: 'Błąd weryfikacji semantyki dokumentu faktury',
      details: ['Nieprawidłowy XML'],
    });
  });

  it('know no other codes', () => {
    expect(() => statusInfo(EXPORT_STATUS, 201)).toThrow('201');
  });
});

it('has every session code in exactly one group of the filter', () => {
  const sessionCodes = new Set(
    [...Object.keys(BATCH_SESSION_STATUS), ...Object.keys(INTERACTIVE_SESSION_STATUS)].map(Number),
  );
  const grouped = Object.values(SESSION_STATUS_CODES).flat();
  expect(new Set(grouped)).toEqual(sessionCodes);
  expect(grouped).toHaveLength(sessionCodes.size);
});
