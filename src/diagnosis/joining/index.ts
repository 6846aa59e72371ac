import { catalogue } from '../../i18n/catalogue.ts';
import type { Finding } from '../finding.ts';
import { checkRules, evaluateRules } from '../rule.ts';
import { addressUnique, addressUnused } from './address.ts';
import { apiAvailable } from './api.ts';
import { bootScript, ignitionAccess } from './boot-server.ts';
import { configServer } from './config-server.ts';
import { dnsRecords } from './dns.ts';
import type { JoinEvidence } from './evidence.ts';
import { balancerEntry, dhcpEntry } from './files.ts';
import { workerIgnition } from './ignition.ts';
import { bootImages } from './images.ts';
import { nameUnused, oldNodeNotReady } from './name.ts';
import { workerPool } from './pool.ts';

const words = () => catalogue().diagnosis.joining;

/** Rules that apply once for all joining nodes. */
const SITE_RULES = checkRules([apiAvailable, configServer, workerPool, bootImages, workerIgnition], words);
/** Rules that apply to each node. */
const NODE_RULES = checkRules(
  [
    nameUnused,
    oldNodeNotReady,
    addressUnique,
    addressUnused,
    dnsRecords,
    dhcpEntry,
    balancerEntry,
    bootScript,
    ignitionAccess,
  ],
  words,
);

/**
 * Checks whether nodes can join: the common checks first, then node by node.
 * Source: openshift-docs, machine_management/adding-rhcos-compute (what a node needs).
 */
export function checkJoin(evidence: JoinEvidence): Finding[] {
  return [...evaluateRules(SITE_RULES, evidence), ...evidence.nodes.flatMap((node) => evaluateRules(NODE_RULES, node))];
}
