import { catalogue } from '../text/catalogue.ts';
import type { Check } from './check.ts';

const words = () => catalogue().checks;

/** What was seen of one node that is to join, before its machine is powered on. */
export interface JoiningNode {
  readonly name: string;
  readonly fqdn: string;
  /** The Node object of that name; null while the API does not say. */
  readonly object: 'absent' | 'ready' | 'not-ready' | null;
  /** A person said that its machine is installed anew: its old Node object may be there. */
  readonly isInstalledAnew: boolean;
  /** Another Node that has one of its addresses. */
  readonly addressOwner: string | null;
  /** What answers at its address although it should be off: "172.16.0.44 port 22"; null where nothing does. */
  readonly answering: string | null;
  /** What every name server says of its name and addresses. */
  readonly names: readonly { readonly server: string; readonly isOk: boolean; readonly detail: string }[];
  /** Its entry in the file on the DHCP server. `none`: the design has no DHCP. Null: the file cannot be read from here. */
  readonly dhcp: 'there' | 'missing' | 'none' | null;
  /** Its line in the pools of the load balancers' files. `none`: it is not wanted there. */
  readonly balancer: 'there' | 'missing' | 'none' | null;
  /** Its boot script at the boot server; null where it needs none. */
  readonly script: Served | null;
  /** The boot server lets its addresses have worker.ign. */
  readonly mayFetch: boolean;
}

/** What the boot server said of a file. */
export interface Served {
  readonly path: string;
  readonly isThere: boolean;
  readonly detail: string;
}

/** What was seen before nodes join a running cluster. */
export interface JoiningEvidence {
  readonly api: { readonly isUp: boolean; readonly detail: string };
  /** The machine config server, asked as a new node does; null where worker.ign does not say whom to ask. */
  readonly configServer: { readonly state: 'answers' | 'untrusted' | 'silent'; readonly detail: string } | null;
  /** The pool that new nodes join; null while the API does not say. */
  readonly pool: { readonly isDegraded: boolean; readonly isPaused: boolean; readonly message: string } | null;
  readonly images: readonly Served[];
  /** worker.ign lies where it is served from. */
  readonly hasIgnition: boolean;
  readonly nodes: readonly JoiningNode[];
}

/**
 * Judges whether nodes can join: first what all need, then node by node. Pure.
 * Sources: openshift-docs, machine_management/adding-rhcos-compute (what a node needs); live-cluster facts of the project.
 */
export function judgeJoining(evidence: JoiningEvidence): Check[] {
  return [...siteChecks(evidence), ...evidence.nodes.flatMap(nodeChecks)];
}

function siteChecks({ api, configServer, pool, images, hasIgnition }: JoiningEvidence): Check[] {
  const { machineConfigServer, workerPool } = words();
  const badImages = images.filter(({ isThere }) => !isThere);
  return [
    check('join-api', null, 'fatal', words().api, api.isUp ? 'ok' : 'failed', api.detail),
    configServer === null
      ? check('join-config-server', null, 'fatal', machineConfigServer, 'unknown', '')
      : check(
          'join-config-server',
          null,
          'fatal',
          configServer.state === 'untrusted' ? words().untrustedServer : machineConfigServer,
          configServer.state === 'answers' ? 'ok' : 'failed',
          configServer.detail,
        ),
    check('join-pool', null, 'warning', workerPool, stateOfPool(pool), poolDetail(pool)),
    check(
      'join-images',
      null,
      'fatal',
      words().images,
      badImages.length > 0 ? 'failed' : 'ok',
      (badImages.length > 0 ? badImages : images).map(({ detail }) => detail).join('; '),
    ),
    check('join-ignition', null, 'fatal', words().ignition, hasIgnition ? 'ok' : 'failed', ''),
  ];
}

function stateOfPool(pool: JoiningEvidence['pool']): Check['state'] {
  if (pool === null) return 'unknown';
  return pool.isDegraded || pool.isPaused ? 'failed' : 'ok';
}

function poolDetail(pool: JoiningEvidence['pool']): string {
  if (pool === null) return '';
  return pool.isDegraded ? words().poolDegraded(pool.message) : pool.isPaused ? words().poolPaused : '';
}

function nodeChecks(node: JoiningNode): Check[] {
  const { name, script } = node;
  const wrong = node.names.filter(({ isOk }) => !isOk);
  const known = (seen: string | null): Check['state'] =>
    seen === null ? 'unknown' : seen === 'missing' ? 'failed' : 'ok';
  return [
    nameCheck(node),
    check(
      'join-address-owner',
      name,
      'fatal',
      words().addressOwner,
      node.addressOwner === null ? 'ok' : 'failed',
      node.addressOwner ?? '',
    ),
    check(
      'join-address',
      name,
      'warning',
      words().address,
      node.answering === null ? 'ok' : 'failed',
      node.answering ?? '',
    ),
    check(
      'join-dns',
      name,
      'fatal',
      words().dns,
      wrong.length > 0 ? 'failed' : 'ok',
      wrong.map(({ server, detail }) => `${server}: ${detail}`).join('; '),
    ),
    ...(node.dhcp === 'none' ? [] : [check('join-dhcp', name, 'fatal', words().dhcp, known(node.dhcp), '')]),
    ...(node.balancer === 'none'
      ? []
      : [check('join-balancer', name, 'warning', words().balancer, known(node.balancer), '')]),
    ...(script === null
      ? []
      : [check('join-script', name, 'fatal', words().script, script.isThere ? 'ok' : 'failed', script.detail)]),
    check('join-door', name, 'fatal', words().door, node.mayFetch ? 'ok' : 'failed', ''),
  ];
}

/** A Node of that name: the cluster has it already, unless a person said that its machine is installed anew. */
function nameCheck({ name, fqdn, object, isInstalledAnew }: JoiningNode): Check {
  if (object === null) return check('join-name', name, 'fatal', words().nodeName, 'unknown', '');
  if (object === 'absent') return check('join-name', name, 'fatal', words().nodeName, 'ok', '');
  if (!isInstalledAnew) return check('join-name', name, 'fatal', words().nodeName, 'failed', fqdn);
  // The old node still reports: whoever joins now under its name is not it.
  const isStillThere = object === 'ready';
  return check('join-anew', name, 'warning', words().nodeAnew, isStillThere ? 'failed' : 'ok', fqdn);
}

function check(
  id: string,
  subject: string | null,
  severity: Check['severity'],
  said: { readonly title: string; readonly wrong: string; readonly remedy: string; readonly unseen?: string },
  state: Check['state'],
  detail: string,
): Check {
  const seen = state === 'unknown' ? (said.unseen ?? words().unseen) : detail;
  return {
    id,
    subject,
    severity,
    state,
    title: state === 'failed' ? said.wrong : said.title,
    detail: seen,
    remedy: said.remedy,
  };
}
