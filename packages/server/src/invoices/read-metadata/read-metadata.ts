import { pointerOf, type XmlElement } from '../../platform/xml/engine.ts';
import type { Form } from '../forms.ts';
import type { Reading } from './metadata.ts';
import { readFa } from './read-fa.ts';
import { readPef } from './read-pef.ts';
import { readRr } from './read-rr.ts';

const READERS = { FA: readFa, RR: readRr, PEF: readPef } as const;

/** Reads what the service keeps of a document, from the very tree that was validated. */
export function readMetadata(root: XmlElement, form: Form): Reading {
  return READERS[form.family](pointerOf(root), form);
}
