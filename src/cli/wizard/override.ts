import type { Finding } from '../../diagnosis/finding.ts';
import { SERVICE_CODES } from '../../diagnosis/hosts/services.ts';
import { isReason } from '../../diagnosis/prepare/gate.ts';
import { checkIds } from '../../steps/check/index.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { UsageError } from '../shared/usage.ts';

const words = () => catalogue().plain.override;

/** What `--override ID,ID: REASON` says: why these checks, and no others, may fail. */
export interface OverrideOption {
  readonly ids: readonly string[];
  readonly reason: string;
}

/** @throws UsageError for another form, an unknown check, or what is no reason */
export function overrideOption(text: string): OverrideOption {
  const at = text.indexOf(':');
  const ids = text
    .slice(0, Math.max(0, at))
    .split(',')
    .map((id) => id.trim());
  const reason = text.slice(at + 1).trim();
  if (at <= 0 || !isReason(reason)) throw new UsageError(words().form(sanitizeLine(text, 80)));
  const known = [...checkIds(), ...SERVICE_CODES];
  const strange = ids.filter((id) => !known.includes(id));
  if (strange.length > 0) throw new UsageError(words().unknown(sanitizeLine(strange.join(', '), 80), known.join(', ')));
  return { ids, reason };
}

/** The reason where all failed checks are named, else null; either is printed. */
export function reasonFor(
  { ids, reason }: OverrideOption,
  failed: readonly Finding[],
  print: (line: string) => void,
): string | null {
  const codes = [...new Set(failed.map(({ code }) => code))];
  const missing = codes.filter((code) => !ids.includes(code));
  print(
    missing.length > 0 ? words().notNamed(missing.join(', ')) : words().goesOn(codes.join(', '), sanitizeLine(reason)),
  );
  return missing.length > 0 ? null : reason;
}

/** The reason that a person typed; null for none, or for what is none. */
export function reasonIn(line: string | null, print: (line: string) => void): string | null {
  const text = line?.trim() ?? '';
  if (text === '') return null;
  if (isReason(text)) return text;
  print(catalogue().plain.noReason);
  return null;
}
