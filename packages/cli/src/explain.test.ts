import { beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../server/src/platform/clock.ts';
import { testDatabase } from '../../server/test/support/database.ts';
import { type ExplainSurroundings, runExplain } from './explain.ts';

const A = '5265877635';
let said = '';
let surroundings: ExplainSurroundings;
beforeAll(async () => {
  const out = (text: string) => {
    said += text;
  };
  surroundings = { database: await testDatabase(), clock: new ManualClock('2026-03-01T09:00:00Z'), out };
});

async function run(...args: string[]): Promise<{ code: number; said: string }> {
  said = '';
  return { code: await runExplain(args, surroundings), said };
}

describe('kwit explain', () => {
  it('says yes, and why', async () => {
    expect(await run('--subject', A, '--context', `Nip:${A}`, '--operation', 'InvoiceRead')).toEqual({
      code: 0,
      said: `Allowed: InvoiceRead (asks for InvoiceRead)
  because  Nip ${A} is the owner of the context, and Owner contains InvoiceRead. No grant is needed for that.
`,
    });
  });

  it('says no, and what is missing, in words or JSON', async () => {
    const args = ['--subject', 'pesel:44051401359', '--context', A, '--operation', 'POST /invoices/exports'];
    const words = await run(...args);
    expect(words.code).toBe(1);
    expect(words.said).toMatch(
      /^Not allowed: POST \/invoices\/exports \(asks for InvoiceRead\)\n {2}missing {2}Missing: InvoiceRead in Nip 5265877635/,
    );
    const json = await run(...args, '--json');
    expect(JSON.parse(json.said)).toMatchObject({
      allowed: false,
      subject: { type: 'Pesel' },
      anyOf: ['InvoiceRead'],
      because: [],
    });
  });

  it('asks back when it does not understand', async () => {
    for (const [args, why] of [
      [['--context', A, '--operation', 'InvoiceRead'], '--subject is missing.'],
      [
        ['--subject', '123', '--context', A, '--operation', 'InvoiceRead'],
        "--subject '123' is no Nip, Pesel, Fingerprint, PeppolId.",
      ],
      [['--subject', A, '--context', 'Nip:1', '--operation', 'InvoiceRead'], "--context 'Nip:1' is no Nip."],
      [['--subject', A, '--context', A, '--operation', 'Fly'], "No endpoint or permission is called 'Fly'."],
      [['--nonsense'], "Unknown option '--nonsense'"],
    ] as const) {
      const answer = await run(...args);
      expect(answer.code).toBe(2);
      expect(answer.said.startsWith(why)).toBe(true);
      expect(answer.said).toContain('kwit explain --subject');
    }
    expect((await run('--help')).code).toBe(0);
  });
});
