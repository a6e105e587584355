import { XmlDocument } from 'libxml2-wasm';
import { expect, it } from 'vitest';
import { FORMS } from './forms.ts';
import { DEFAULT_SCHEMA_FOLDER, schemaOf } from './schemas.ts';

it('compiles a form when it is asked for, once', async () => {
  // As it is loaded by a new process: others may have asked for forms in this one.
  const fresh = new URL('./schemas.ts?fresh', import.meta.url).href;
  const { compiledForms, schemaOf } = (await import(fresh)) as typeof import('./schemas.ts');
  expect(compiledForms()).toEqual([]);
  const schema = schemaOf(FORMS['FA (3)']);
  expect(compiledForms()).toEqual(['FA (3)']);
  expect(schemaOf(FORMS['FA (3)'])).toBe(schema);
  for (const form of Object.values(FORMS)) schemaOf(form, DEFAULT_SCHEMA_FOLDER);
  expect(new Set(compiledForms())).toEqual(new Set(Object.keys(FORMS)));
});

it('leaves no schema file within reach of documents', () => {
  const url = 'http://crd.gov.pl/xml/schematy/dziedzinowe/mf/2022/01/05/eD/DefinicjeTypy/StrukturyDanych_v10-0E.xsd';
  const document = XmlDocument.fromString(`<!DOCTYPE a [<!ENTITY e SYSTEM "${url}">]><a>&e;</a>`);
  expect(document.root.content).toBe('');
  document.dispose();
});

it('says which file is missing when the folder is wrong', () => {
  expect(() => schemaOf(FORMS['FA (2)'], '/nonexistent')).toThrow(/nonexistent/);
});
