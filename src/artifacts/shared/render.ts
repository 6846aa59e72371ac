import { Eta, type TemplateFunction } from 'eta/core';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { escapeMarkup } from '../../platform/sanitize.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';

const words = () => catalogue().artifacts;

/**
 * Characters that a placeholder may hold. The rules of the design already refuse all others. This second check is the
 * same for every format. A quote, newline, semicolon, brace or dollar sign is syntax in at least one of them.
 */
const SAFE_TEXT = /^[A-Za-z0-9 .:/@%+=,*()[\]~?_-]*$/;

const eta = new Eta({
  autoEscape: false,
  autoTrim: false,
  autoFilter: true,
  filterFunction: (value) => toSafeText(value),
});

/** Compiled templates by their text: most are rendered for many nodes. */
const compiledTemplates = new Map<string, TemplateFunction>();

/**
 * Renders a template (eta; `it` is the data).
 * @throws UserErrorException `unsafe-text` when a placeholder's value could end a statement
 */
export function renderTemplate(template: string, data: object): string {
  const compiledTemplate = compiledTemplates.get(template) ?? eta.compile(template);
  compiledTemplates.set(template, compiledTemplate);
  return eta.render(compiledTemplate, data);
}

const htmlEta = new Eta({
  autoEscape: true,
  autoTrim: false,
  escapeFunction: (value) => escapeMarkup(String(value)),
});

/** Renders a template of an HTML document. Placeholders are escaped; `<%~ %>` inserts finished markup. */
export function renderHtmlTemplate(template: string, data: object): string {
  return htmlEta.render(htmlEta.compile(template), data);
}

const shellEta = new Eta({
  autoEscape: true,
  autoTrim: false,
  escapeFunction: (value) => quoteShellArg(String(value)),
});

/**
 * Renders a template of a shell script that holds paths of this machine. Each placeholder is one quoted word; `<%~ %>`
 * inserts finished text.
 */
export function renderShellTemplate(template: string, data: object): string {
  return shellEta.render(shellEta.compile(template), data);
}

function toSafeText(value: unknown): string {
  const text = String(value);
  if (!SAFE_TEXT.test(text))
    throw new UserErrorException({ code: 'unsafe-text', ...words().unsafeText(JSON.stringify(text)) });
  return text;
}
