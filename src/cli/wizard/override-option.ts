import type { Finding } from '../../checks/check.ts';
import { isValidReason } from '../../checks/prepare/overrides.ts';
import { SERVICE_IDS } from '../../checks/service-hosts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { listCheckIds } from '../../steps/check/index.ts';
import { UsageError } from '../shared/io.ts';

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
  const colonIndex = text.indexOf(':');
  const ids = text
    .slice(0, Math.max(0, colonIndex))
    .split(',')
    .map((id) => id.trim());
  const reason = text.slice(colonIndex + 1).trim();
  if (colonIndex <= 0 || !isValidReason(reason)) throw new UsageError(words().badFormat(sanitizeLine(text, 80)));
  const knownIds = [...listCheckIds(), ...SERVICE_IDS];
  const unknownIds = ids.filter((id) => !knownIds.includes(id));
  if (unknownIds.length > 0)
    throw new UsageError(words().unknown(sanitizeLine(unknownIds.join(', '), 80), knownIds.join(', ')));
  return { ids, reason };
}

/** Returns the reason if all failed checks are named, else null; prints the result. */
export function resolveOverride(
  { ids, reason }: OverrideOption,
  failedChecks: readonly Finding[],
  print: (line: string) => void,
): string | null {
  const codes = [...new Set(failedChecks.map(({ code }) => code))];
  const missingCodes = codes.filter((code) => !ids.includes(code));
  print(
    missingCodes.length > 0
      ? words().notNamed(missingCodes.join(', '))
      : words().overrides(codes.join(', '), sanitizeLine(reason)),
  );
  return missingCodes.length > 0 ? null : reason;
}

/** Returns the reason that the user typed; null if it is empty or invalid. */
export function parseTypedReason(line: string | null, print: (line: string) => void): string | null {
  const text = line?.trim() ?? '';
  if (text === '') return null;
  if (isValidReason(text)) return text;
  print(catalogue().plain.noReason);
  return null;
}
