import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';

/** Messages of Ignition about a file that it cannot use (coreos/ignition config/shared/errors). */
const INVALID_CONFIG =
  /config is not valid|unsupported config version|not a config \(empty\)|error at line \d+ col \d+|unexpected end of JSON input|invalid character '.' looking for beginning of value/;

/** A machine fetched no valid ignition file: an error page, a truncated file, or one of another version. */
export const ignitionInvalid = diagnosticRule('ignition-broken', 'ignition', (evidence) => [
  ...(evidence.ignition?.unusable ?? []).map(
    (symptom): Symptom => ({ likelihood: 'certain', subject: '', symptom, command: 'jq -e .ignition.version *.ign' }),
  ),
  ...symptomsFromLines(
    matchLogLines(evidence, INVALID_CONFIG).filter(
      ({ source, text }) => /ignition|emergency|console/i.test(source) || /fetch config/.test(text),
    ),
    'certain',
    'jq -e .ignition.version *.ign; curl -s IGNITION-URL | head -c 200',
  ),
]);
