import { at, isRecord, type KubeObject, listAt, textAt, timestamp } from '../../api/objects.ts';
import { changeStatus, withTransition } from '../conditions.ts';
import type { World } from '../world.ts';
import type { OperatorFacts } from './table.ts';

const VERSIONS = 'clusterversions.config.openshift.io';
const OPERATORS = 'clusteroperators.config.openshift.io';
/** How many manifests a release has. */
const MANIFESTS = 869;
/** Of them, what is applied before the first operator is up. */
const EARLY = 0.12;

/** ClusterVersion: how far the installation is, in the words of the cluster version operator. */
export function reportClusterVersion(world: World, facts: readonly OperatorFacts[]): void {
  const { cluster } = world.saved;
  const object = world.store.get(VERSIONS, null, 'version');
  if (!object || cluster === null) return;
  const { version } = cluster;
  const operators = new Map(world.store.list(OPERATORS).map((each) => [each.metadata.name, each]));
  const is = (name: string, type: string) => statusOf(operators.get(name), type) === 'True';
  const missing = facts
    .filter(({ name }) => !is(name, 'Available'))
    .map(({ name }) => name)
    .sort();
  const degraded = facts.filter(({ name }) => is(name, 'Degraded')).map(({ name }) => name);
  const history = listAt(object, 'status', 'history');
  const [current] = history;
  const isInstalled = textAt(current, 'state') === 'Completed';
  const isComplete = missing.length === 0 && degraded.length === 0;
  const known = listAt(object, 'status', 'conditions');
  const isFailing = missing.length === 0 && degraded.length > 0;
  const failure = `Cluster operator ${degraded[0]} is degraded`;
  const done = Math.floor(MANIFESTS * (EARLY + (1 - EARLY) * (1 - missing.length / facts.length)));
  const condition = (type: string, isTrue: boolean, reason: string, message: string) =>
    withTransition(world, known, { type, status: isTrue ? 'True' : 'False', reason, message });
  const isProgressing = !isInstalled && !isComplete;
  changeStatus(world, VERSIONS, object, {
    observedGeneration: object.metadata.generation ?? 1,
    history:
      isComplete && !isInstalled && isRecord(current)
        ? [{ ...current, state: 'Completed', completionTime: timestamp(world.clock.now()) }]
        : history,
    conditions: [
      isInstalled || isComplete
        ? condition('Available', true, '', `Done applying ${version}`)
        : condition('Available', false, '', ''),
      isFailing ? condition('Failing', true, 'ClusterOperatorDegraded', failure) : condition('Failing', false, '', ''),
      isProgressing
        ? condition(
            'Progressing',
            true,
            isFailing ? 'ClusterOperatorDegraded' : '',
            progress(version, done, missing, degraded),
          )
        : condition('Progressing', false, '', `Cluster version is ${version}`),
      condition('Upgradeable', true, '', ''),
      releaseAccepted(object, version, condition),
    ],
  });
}

/** An update that was asked for by the digest of its image: no signature of it is to be had, and it was not forced. */
function releaseAccepted(object: KubeObject, version: string, condition: SetCondition) {
  const wanted = at(object, 'spec', 'desiredUpdate');
  const image = textAt(wanted, 'image');
  if (image === '' || image === textAt(object, 'status', 'desired', 'image')) {
    return condition('ReleaseAccepted', true, 'PayloadLoaded', `Payload loaded version="${version}"`);
  }
  const digest = image.split('@')[1] ?? image;
  const why = `The update cannot be verified: unable to verify ${digest} against keyrings: verifier-public-key-redhat`;
  const message = `Retrieving payload failed version="${textAt(wanted, 'version')}" image="${image}" failure=${why}`;
  return condition('ReleaseAccepted', false, 'RetrievePayload', message);
}

type SetCondition = (type: string, isTrue: boolean, reason: string, message: string) => Record<string, string>;

/** `Working towards 4.18.11: 640 of 869 done (73% complete)`, with what it waits for when little is left. */
function progress(version: string, done: number, missing: readonly string[], degraded: readonly string[]): string {
  if (missing.length === 0) return `Unable to apply ${version}: the cluster operator ${degraded[0]} is degraded`;
  const percent = Math.floor((done / MANIFESTS) * 100);
  const waiting = missing.length <= 6 ? `, waiting on ${missing.join(', ')}` : '';
  return `Working towards ${version}: ${done} of ${MANIFESTS} done (${percent}% complete)${waiting}`;
}

function statusOf(object: KubeObject | undefined, type: string): string {
  const found = listAt(object, 'status', 'conditions').find((each) => textAt(each, 'type') === type);
  return textAt(found, 'status');
}
