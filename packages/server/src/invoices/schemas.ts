/**
 * Compiled invoice schemas: one set per thread, each compiled when its form is first asked for and kept. Compiling costs hundreds
 * of times what a small validation does, and the Peppol schemas alone are 2.8 MB of text, so nothing is loaded in advance.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { XmlBufferInputProvider, XmlDocument, XsdValidator, xmlRegisterInputProvider } from 'libxml2-wasm';
import type { Form } from './forms.ts';

/** `.schemas` at the root of the repository, where the setup step puts the files. */
export const DEFAULT_SCHEMA_FOLDER = resolve(fileURLToPath(new URL('../../../../.schemas', import.meta.url)));

/** The only remote location in the schemas; served from the local folder, for FA_RR too. */
const BASE_TYPES = 'http://crd.gov.pl/xml/schematy/dziedzinowe/mf/2022/01/05/eD/DefinicjeTypy/';
/** A made-up address below which the Peppol files find each other by relative location. */
const PEPPOL = 'http://schemas.kwit.invalid/PEF/';

/** Imports are answered from here alone: what is not in it does not exist, and the engine has no network code. */
const files = new XmlBufferInputProvider({});
let registered = false;

const compiled = new Map<string, XsdValidator>();

function importsOf(form: Form, folder: string): Map<string, string> {
  const [base, url] = form.family === 'PEF' ? ['PEF/bazowe', `${PEPPOL}bazowe/`] : ['FA/bazowe', BASE_TYPES];
  return new Map(
    readdirSync(join(folder, base))
      .filter((name) => name.endsWith('.xsd'))
      .map((name) => [url + name, join(folder, base, name)]),
  );
}

function compile(form: Form, folder: string): XsdValidator {
  if (!registered) {
    if (!xmlRegisterInputProvider(files)) throw new Error('libxml2 takes no further input provider');
    registered = true;
  }
  const imports = importsOf(form, folder);
  for (const [url, path] of imports) files.addBuffer(url, readFileSync(path));
  const url = form.family === 'PEF' ? `${PEPPOL}${form.root}.xsd` : `${form.namespace}schemat.xsd`;
  try {
    const document = XmlDocument.fromBuffer(readFileSync(join(folder, form.schema)), { url });
    try {
      return XsdValidator.fromDoc(document);
    } finally {
      document.dispose();
    }
  } finally {
    for (const url of imports.keys()) files.removeBuffer(url);
  }
}

/** The compiled schema of a form. Throws when the folder is missing or damaged: that is a fault of the installation. */
export function schemaOf(form: Form, folder: string = DEFAULT_SCHEMA_FOLDER): XsdValidator {
  const key = `${form.systemCode}\n${folder}`;
  const known = compiled.get(key);
  if (known) return known;
  const schema = compile(form, folder);
  compiled.set(key, schema);
  return schema;
}

/** Which schemas this thread holds, for tests and diagnostics. */
export function compiledForms(): string[] {
  return [...compiled.keys()].map((key) => key.slice(0, key.indexOf('\n')));
}
