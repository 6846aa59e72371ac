import { type Clue, cause, clueOfLines, told } from '../cause.ts';

/** What Ignition says of a file that it cannot use (coreos/ignition config/shared/errors). */
const BROKEN =
  /config is not valid|unsupported config version|not a config \(empty\)|error at line \d+ col \d+|unexpected end of JSON input|invalid character '.' looking for beginning of value/;

/** What a machine fetched as its ignition file is none: an error page, half of one, or one of another version. */
export const ignitionBroken = cause('ignition-broken', 'ignition', (evidence) => [
  ...(evidence.ignition?.unusable ?? []).map(
    (symptom): Clue => ({ likelihood: 'certain', subject: '', symptom, command: 'jq -e .ignition.version *.ign' }),
  ),
  ...clueOfLines(
    told(evidence, BROKEN).filter(
      ({ source, text }) => /ignition|emergency|console/i.test(source) || /fetch config/.test(text),
    ),
    'certain',
    'jq -e .ignition.version *.ign; curl -s IGNITION-URL | head -c 200',
  ),
]);
