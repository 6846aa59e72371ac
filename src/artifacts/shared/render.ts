import { Eta, type TemplateFunction } from 'eta/core';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';

const words = () => catalogue().artifacts;

/**
 * What a placeholder may hold. The rules of the design let nothing else through; this is the second fence, the same for
 * every format, because one quote, newline, semicolon, brace or dollar sign would end a statement in one of them.
 */
const SAFE = /^[A-Za-z0-9 .:/@%+=,*()[\]~?_-]*$/;

const eta = new Eta({
  autoEscape: false,
  autoTrim: false,
  autoFilter: true,
  filterFunction: (value) => plain(value),
});

/** The templates as functions: each is the text of a file here, and most are filled for many nodes. */
const filled = new Map<string, TemplateFunction>();

/**
 * Fills a template (eta; `it` is the data).
 * @throws TroubleError `unsafe-text` when a placeholder's value could break out of its place
 */
export function render(template: string, data: object): string {
  const fill = filled.get(template) ?? eta.compile(template);
  filled.set(template, fill);
  return eta.render(fill, data);
}

function plain(value: unknown): string {
  const text = String(value);
  if (!SAFE.test(text)) throw new TroubleError({ code: 'unsafe-text', ...words().unsafeText(JSON.stringify(text)) });
  return text;
}
