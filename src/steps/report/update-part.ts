import type { ReportPart } from '../../artifacts/report.ts';
import { type Finding, runChecks } from '../../checks/check.ts';
import { UPDATE_CHECKS, type UpdateEvidence } from '../../checks/update.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getObservedBootImage, getRequestedBootImage } from '../../openshift/boot-image.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

const words = () => catalogue().report.update;

type CheckedItem = Extract<ReportPart, { readonly kind: 'checks' }>['results'][number];

const STATES: readonly CheckedItem['state'][] = ['blocked', 'warning', 'pending', 'unknown', 'ok'];

/**
 * Creates the part of the report about the next update, the most urgent results first.
 * @param evidence null: the cluster could not be read, and the part has no results
 */
export function createUpdatePart(evidence: UpdateEvidence | null): ReportPart {
  const findings = evidence === null ? [] : runChecks(UPDATE_CHECKS, evidence, catalogue().diagnosis.update.checks);
  const results = findings.map(toCheckedItem).sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state));
  const count = (...states: readonly CheckedItem['state'][]) =>
    results.filter(({ state }) => states.includes(state)).length;
  return {
    id: 'update',
    heading: words().heading,
    kind: 'checks',
    intro: words().intro(
      sanitizeLine(evidence?.version ?? '', 60),
      count('blocked'),
      count('warning', 'pending'),
      count('unknown'),
    ),
    results,
  };
}

function toCheckedItem({ code, title, cause, remedy, command, ...finding }: Finding): CheckedItem {
  const state = deriveState(finding);
  const itemTitle = state === 'ok' && cause !== '' ? `${title} (${cause})` : title;
  const sentences = [toSentence(cause), state === 'unknown' ? '' : remedy];
  return {
    id: code,
    state,
    title: sanitizeLine(itemTitle),
    text: state === 'ok' ? '' : sanitizeLine(sentences.filter((text) => text !== '').join(' '), 1500),
    commands: state === 'ok' || command === undefined ? [] : [command],
  };
}

const toSentence = (text: string) =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/\.?$/, '.');

function deriveState({ state, severity }: Pick<Finding, 'state' | 'severity'>): CheckedItem['state'] {
  if (state !== 'failed') return state;
  return severity === 'fatal' ? 'blocked' : 'warning';
}

/** Describes the recorded boot image; empty if none is known. */
export function describeBootImage(evidence: UpdateEvidence | null): string[] {
  const object = evidence !== null && 'value' in evidence.machineConfiguration && evidence.machineConfiguration.value;
  const observedImage = object ? getObservedBootImage(object) : null;
  if (!object || observedImage === null) return [];
  if (observedImage.mode === 'None') return [words().notCompared];
  const version = sanitizeLine(observedImage.version ?? '', 60);
  return [
    observedImage.mode === 'Manual' && getRequestedBootImage(object) === null ? words().ofRelease(version) : version,
  ];
}
