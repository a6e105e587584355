import { describe, expect, it } from 'vitest';
import { languageOf, prefersPage } from './preferences.ts';

describe('a page is wanted', () => {
  it.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', true],
    ['text/html', true],
    ['text/html, */*', true],
    ['TEXT/HTML;q=0.5, application/json;q=0.4', true],
    ['text/html, application/json', true],
    ['application/json, text/html', false],
    ['text/html;q=0.4, application/json;q=0.5', false],
    ['text/html;q=0', false],
    ['text/html;q=nonsense', false],
    ['text/html;q=0.5, */*', false],
    ['*/*', true],
    ['*/*;q=0', false],
    ['text/*', true],
    ['application/json', false],
    ['application/json, text/plain, */*', false],
    ['application/*;q=0.9, */*;q=0.8', false],
    ['application/json;q=0.5, */*', true],
    ['application/xml', false],
    ['', true],
    [undefined, true],
  ])('by Accept: %s: %s', (accept, expected) => {
    expect(prefersPage(accept)).toBe(expected);
  });
});

describe('the language', () => {
  it.each([
    [undefined, undefined, 'pl'],
    ['', undefined, 'pl'],
    ['en-GB,en;q=0.9', undefined, 'en'],
    ['de-DE,en;q=0.5', undefined, 'en'],
    ['de', undefined, 'pl'],
    ['*', undefined, 'pl'],
    ['pl,en;q=0.9', undefined, 'pl'],
    ['en;q=0.1,pl;q=0.2', undefined, 'pl'],
    ['en;q=0', undefined, 'pl'],
    ['en', 'pl', 'pl'],
    ['pl', 'en', 'en'],
    ['en', 'de', 'en'],
  ])('of Accept-Language %s and choice %s is %s', (header, chosen, expected) => {
    expect(languageOf(header, chosen)).toBe(expected);
  });
});
