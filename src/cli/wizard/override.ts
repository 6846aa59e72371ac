import type { Finding } from '../../checks/check.ts';
import { isValidReason } from '../../checks/prepare/gate.ts';
import { SERVICE_CODES } from '../../checks/service-hosts.ts';

import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import { listCheckIds } from '../../steps/check/index.ts';
import { UsageError } from '../shared/usage.ts';

const words = () => catalogue().plain.override;

/** The value of `--override ID,ID: REASON`: the checks that may fail, and the reason. */
export interface OverrideOption {
  readonly ids: readonly string[];
  readonly reason: string;
}

/**
 * Parses the value of `--override`.
 * @throws UsageError for a wrong format, an unknown check, or an invalid reason
 */
export function parseOverride(text: string): OverrideOption {
  const colon = text.indexOf(':');
  const ids = text
    .slice(0, Math.max(0, colon))
    .split(',')
    .map((id) => id.trim());
  const reason = text.slice(colon + 1).trim();
  if (colon <= 0 || !isValidReason(reason)) throw new UsageError(words().badFormat(sanitizeLine(text, 80)));
  const known = [...listCheckIds(), ...SERVICE_CODES];
  const unknown = ids.filter((id) => !known.includes(id));
  if (unknown.length > 0) throw new UsageError(words().unknown(sanitizeLine(unknown.join(', '), 80), known.join(', ')));
  return { ids, reason };
}

/** Returns the reason if all failed checks are named, else null; prints the result. */
export function resolveOverride(
  { ids, reason }: OverrideOption,
  failed: readonly Finding[],
  print: (line: string) => void,
): string | null {
  const codes = [...new Set(failed.map(({ code }) => code))];
  const missing = codes.filter((code) => !ids.includes(code));
  print(
    missing.length > 0
      ? words().notNamed(missing.join(', '))
      : words().overrides(codes.join(', '), sanitizeLine(reason)),
  );
  return missing.length > 0 ? null : reason;
}

/** Returns the reason that the user typed; null if it is empty or invalid. */
export function parseTypedReason(line: string | null, print: (line: string) => void): string | null {
  const text = line?.trim() ?? '';
  if (text === '') return null;
  if (isValidReason(text)) return text;
  print(catalogue().plain.noReason);
  return null;
}
