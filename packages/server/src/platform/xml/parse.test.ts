import { expect, test } from 'vitest';
import { withDocument, type XmlLimits, type XmlProblemKind, XmlUnreadable } from './parse.ts';

const LIMITS: XmlLimits = { bytes: 100_000, depth: 20, elements: 500, attributes: 300 };

const read = (xml: string | Uint8Array, limits = LIMITS) =>
  withDocument(typeof xml === 'string' ? Buffer.from(xml) : xml, limits, (document) => document.root.content);

function refusalOf(xml: string | Uint8Array): XmlUnreadable {
  try {
    read(xml);
  } catch (error) {
    if (error instanceof XmlUnreadable) return error;
    throw error;
  }
  throw new Error('the document was read');
}

test('reads UTF-8 with and without a mark, a prolog or neither', () => {
  expect(read('<a>zażółć</a>')).toBe('zażółć');
  expect(read('\ufeff<?xml version="1.0" encoding="utf-8"?><a>ż</a>')).toBe('ż');
  expect(read("<?xml version='1.0' encoding='UTF-8' standalone='yes'?><a>ż</a>")).toBe('ż');
});

test.each<[string, string | Uint8Array, XmlProblemKind]>([
  ['nothing', '', 'empty'],
  ['windows-1250 bytes', Buffer.from([0x3c, 0x61, 0x3e, 0xb9, 0x3c, 0x2f, 0x61, 0x3e]), 'encoding'],
  ['another encoding in the prolog', '<?xml version="1.0" encoding="windows-1250"?><a/>', 'encoding'],
  [
    'another encoding far in the prolog',
    `<?xml version="1.0" ${' '.repeat(2000)} encoding="iso-8859-2"?><a/>`,
    'encoding',
  ],
  ['UTF-16 with a mark', Buffer.from('\ufeff<a/>', 'utf16le'), 'encoding'],
  ['UTF-16 without a mark', Buffer.from('<?xml version="1.0"?><a/>', 'utf16le'), 'encoding'],
  ['UTF-7', '<?xml version="1.0" encoding="UTF-7"?>+ADw-a/+AD4-', 'encoding'],
  ['an overlong form', Buffer.from([0x3c, 0x61, 0x3e, 0xc0, 0xbc, 0x3c, 0x2f, 0x61, 0x3e]), 'encoding'],
  ['a lone surrogate', Buffer.from([0x3c, 0x61, 0x3e, 0xed, 0xa0, 0x80, 0x3c, 0x2f, 0x61, 0x3e]), 'encoding'],
  ['NUL', '<a>\0</a>', 'encoding'],
  ['XML 1.1', '<?xml version="1.1"?><a/>', 'malformed'],
  ['an unclosed element', '<a>', 'malformed'],
  ['a control character', '<a>\u0001</a>', 'malformed'],
  ['a prefix nobody declared', '<p:a/>', 'malformed'],
  ['an attribute twice', '<a b="1" b="2"/>', 'malformed'],
  ['text that is no XML', 'hello', 'malformed'],
  ['two roots', '<a/><b/>', 'malformed'],
  ['a DOCTYPE', '<!DOCTYPE a><a/>', 'doctype'],
  ['an internal entity', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', 'doctype'],
  ['too many bytes', `<a>${'x'.repeat(100_000)}</a>`, 'too-large'],
  ['too deep', `${'<a>'.repeat(21)}${'</a>'.repeat(21)}`, 'too-deep'],
  ['deeper than the engine allows', `${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}`, 'malformed'],
  ['too many elements', `<a>${'<b/>'.repeat(500)}</a>`, 'too-many-elements'],
  ['too many attributes', `<a ${Array.from({ length: 301 }, (_, i) => `a${i}=""`).join(' ')}/>`, 'too-many-attributes'],
  [
    'too many namespaces',
    `<a ${Array.from({ length: 301 }, (_, i) => `xmlns:a${i}="u"`).join(' ')}/>`,
    'too-many-attributes',
  ],
])('refuses %s', (_, xml, kind) => {
  expect(refusalOf(xml).kind).toBe(kind);
});

test('accepts exactly what the limits allow', () => {
  expect(() => read(`${'<a>'.repeat(20)}${'</a>'.repeat(20)}`)).not.toThrow();
  expect(() => read(`<a>${'<b/>'.repeat(499)}</a>`)).not.toThrow();
});

test('names line and column', () => {
  expect(refusalOf('<a>\n  <b></c>\n</a>').problems[0]).toMatchObject({ line: 2 });
  expect(refusalOf('<a>\n  <b></c>\n</a>').problems[0]?.column).toBeGreaterThan(0);
  const bytes = Buffer.concat([Buffer.from('<a>\nabc€'), Buffer.from([0xff]), Buffer.from('</a>')]);
  expect(refusalOf(bytes).problems[0]).toMatchObject({ line: 2, column: 7 });
});

test('does not open what a document names, and leaves entities alone', () => {
  const { problems } = refusalOf('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>');
  expect(problems[0]?.message).toMatch(/DOCTYPE/);
  expect(read('<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file:///etc/hostname"/></a>')).toBe('');
});

test('frees documents: the memory of the process stays flat', () => {
  const xml = Buffer.from(`<a>${'<b>text</b>'.repeat(400)}</a>`);
  const broken = Buffer.from(`<a>${'<b>text</b>'.repeat(400)}`);
  const round = () => {
    for (let i = 0; i < 1500; i++) {
      withDocument(xml, LIMITS, () => undefined);
      expect(() => withDocument(broken, LIMITS, () => undefined)).toThrow(XmlUnreadable);
    }
    return process.memoryUsage.rss();
  };
  round();
  const before = round();
  expect(round() - before).toBeLessThan(40 * 1024 * 1024);
});
