import { getUrlHost } from '../platform/text.ts';
import { getField } from './object.ts';

/** The namespace of etcd's pods and of the secrets with their certificates. */
export const ETCD_NAMESPACE = 'openshift-etcd';
/** The container in which etcdctl runs with etcd's certificates. */
export const ETCD_CONTAINER = 'etcd';

/** A member of etcd, as etcdctl lists it. */
export interface EtcdMember {
  /** In hexadecimal digits. */
  readonly id: string;
  /** False: the member was added and has not started yet. */
  readonly isStarted: boolean;
  /** The name of its node; empty until the member has started. */
  readonly name: string;
  readonly peerUrls: readonly string[];
}

/**
 * Parses the lines of `etcdctl member list`: `6fc1e7c9db35841d, started, m2.example.com, https://10.0.0.2:2380,
 * https://10.0.0.2:2379, false`. Its JSON has the ids as numbers that are too large for JavaScript.
 * @returns null if a line is something else
 */
export function parseEtcdMemberList(text: string): readonly EtcdMember[] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const members = lines.map((line): EtcdMember | null => {
    const [id = '', state = '', name = '', ...urls] = line.split(',').map((part) => part.trim());
    if (!/^[0-9a-f]{1,16}$/.test(id) || !/^(?:un)?started$/.test(state) || !/^[\w.-]*$/.test(name)) return null;
    return { id, isStarted: state === 'started', name, peerUrls: urls.filter((url) => url.endsWith(':2380')) };
  });
  const parsedMembers = members.filter((member) => member !== null);
  return parsedMembers.length === members.length && parsedMembers.length > 0 ? parsedMembers : null;
}

/** Finds the member of a node, by its name or by one of its addresses. */
export function findEtcdMember(
  members: readonly EtcdMember[],
  node: { readonly fqdn: string; readonly addresses: readonly string[] },
): EtcdMember | undefined {
  const addresses = new Set(node.addresses);
  return members.find(
    ({ name, peerUrls }) =>
      name === node.fqdn || peerUrls.some((url) => URL.canParse(url) && addresses.has(getUrlHost(new URL(url)))),
  );
}

/** Computes how many of `count` members must be healthy to accept changes. */
export function computeEtcdQuorum(count: number): number {
  return Math.floor(count / 2) + 1;
}

/** Lists the secrets with a member's certificates, by name (openshift-docs, restore-replace-stopped-etcd-member). */
export function listEtcdMemberSecretNames(fqdn: string): string[] {
  return ['etcd-peer', 'etcd-serving', 'etcd-serving-metrics'].map((prefix) => `${prefix}-${fqdn}`);
}

/**
 * The key of `spec.unsupportedConfigOverrides` in Etcd/cluster that turns off the quorum guard. Only with the guard off
 * does the operator write new certificates.
 */
export const QUORUM_GUARD_OVERRIDE = 'useUnsupportedUnsafeNonHANonProductionUnstableEtcd';

/** Whether the quorum guard is off, by the object Etcd/cluster. */
export function isQuorumGuardOff(etcd: unknown): boolean {
  return getField(etcd, 'spec', 'unsupportedConfigOverrides', QUORUM_GUARD_OVERRIDE) === true;
}
