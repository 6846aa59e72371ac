import { formatTimestamp, getField, getList, getString, isRecord, type KubeObject } from '../../api/objects.ts';
import { mergeStatus, withTransitionTime } from '../conditions.ts';
import type { World } from '../world.ts';
import type { OperatorFacts } from './table.ts';

const VERSIONS = 'clusterversions.config.openshift.io';
const OPERATORS = 'clusteroperators.config.openshift.io';
/** Number of manifests in a release. */
const MANIFEST_COUNT = 869;
/** Share of them that is applied before the first operator is available. */
const EARLY_SHARE = 0.12;

/** Updates ClusterVersion with the installation's progress, in the words of the cluster-version-operator. */
export function reportClusterVersion(world: World, facts: readonly OperatorFacts[]): void {
  const { cluster } = world.saved;
  const object = world.store.get(VERSIONS, null, 'version');
  if (!object || cluster === null) return;
  const { version } = cluster;
  const operators = new Map(world.store.list(OPERATORS).map((each) => [each.metadata.name, each]));
  const hasCondition = (name: string, type: string) => getConditionStatus(operators.get(name), type) === 'True';
  const missing = facts
    .filter(({ name }) => !hasCondition(name, 'Available'))
    .map(({ name }) => name)
    .sort();
  const degraded = facts.filter(({ name }) => hasCondition(name, 'Degraded')).map(({ name }) => name);
  const history = getList(object, 'status', 'history');
  const [current] = history;
  const isInstalled = getString(current, 'state') === 'Completed';
  const isComplete = missing.length === 0 && degraded.length === 0;
  const known = getList(object, 'status', 'conditions');
  const isFailing = missing.length === 0 && degraded.length > 0;
  const failure = `Cluster operator ${degraded[0]} is degraded`;
  const appliedCount = Math.floor(
    MANIFEST_COUNT * (EARLY_SHARE + (1 - EARLY_SHARE) * (1 - missing.length / facts.length)),
  );
  const buildCondition = (type: string, isTrue: boolean, reason: string, message: string) =>
    withTransitionTime(world, known, { type, status: isTrue ? 'True' : 'False', reason, message });
  const isProgressing = !isInstalled && !isComplete;
  mergeStatus(world, VERSIONS, object, {
    observedGeneration: object.metadata.generation ?? 1,
    history:
      isComplete && !isInstalled && isRecord(current)
        ? [{ ...current, state: 'Completed', completionTime: formatTimestamp(world.clock.now()) }]
        : history,
    conditions: [
      isInstalled || isComplete
        ? buildCondition('Available', true, '', `Done applying ${version}`)
        : buildCondition('Available', false, '', ''),
      isFailing
        ? buildCondition('Failing', true, 'ClusterOperatorDegraded', failure)
        : buildCondition('Failing', false, '', ''),
      isProgressing
        ? buildCondition(
            'Progressing',
            true,
            isFailing ? 'ClusterOperatorDegraded' : '',
            formatProgress(version, appliedCount, missing, degraded),
          )
        : buildCondition('Progressing', false, '', `Cluster version is ${version}`),
      buildCondition('Upgradeable', true, '', ''),
      buildReleaseAccepted(object, version, buildCondition),
    ],
  });
}

/** Rejects an update by image digest: no signature can be found for it, and the update was not forced. */
function buildReleaseAccepted(object: KubeObject, version: string, buildCondition: ConditionFactory) {
  const wanted = getField(object, 'spec', 'desiredUpdate');
  const image = getString(wanted, 'image');
  if (image === '' || image === getString(object, 'status', 'desired', 'image')) {
    return buildCondition('ReleaseAccepted', true, 'PayloadLoaded', `Payload loaded version="${version}"`);
  }
  const digest = image.split('@')[1] ?? image;
  const failure = `The update cannot be verified: unable to verify ${digest} against keyrings: verifier-public-key-redhat`;
  const message = `Retrieving payload failed version="${getString(wanted, 'version')}" image="${image}" failure=${failure}`;
  return buildCondition('ReleaseAccepted', false, 'RetrievePayload', message);
}

type ConditionFactory = (type: string, isTrue: boolean, reason: string, message: string) => Record<string, string>;

/**
 * Formats `Working towards 4.18.11: 640 of 869 done (73% complete)`, with the missing operators if there are only a
 * few.
 */
function formatProgress(
  version: string,
  appliedCount: number,
  missing: readonly string[],
  degraded: readonly string[],
): string {
  if (missing.length === 0) return `Unable to apply ${version}: the cluster operator ${degraded[0]} is degraded`;
  const percent = Math.floor((appliedCount / MANIFEST_COUNT) * 100);
  const waitingText = missing.length <= 6 ? `, waiting on ${missing.join(', ')}` : '';
  return `Working towards ${version}: ${appliedCount} of ${MANIFEST_COUNT} done (${percent}% complete)${waitingText}`;
}

function getConditionStatus(object: KubeObject | undefined, type: string): string {
  const found = getList(object, 'status', 'conditions').find((each) => getString(each, 'type') === type);
  return getString(found, 'status');
}
