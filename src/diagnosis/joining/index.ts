import { catalogue } from '../../text/catalogue.ts';
import type { Finding } from '../finding.ts';
import { checkRules, judge } from '../rule.ts';
import { address, addressOwner } from './address.ts';
import { api } from './api.ts';
import { configServer } from './config-server.ts';
import { dns } from './dns.ts';
import type { JoiningEvidence } from './evidence.ts';
import { balancer, dhcp } from './files.ts';
import { ignition } from './ignition.ts';
import { images } from './images.ts';
import { anew, name } from './name.ts';
import { pool } from './pool.ts';
import { door, script } from './served.ts';

const words = () => catalogue().diagnosis.joining;

/** Checks that all joining nodes share. */
const SITE = checkRules([api, configServer, pool, images, ignition], words);
/** Checks for each node. */
const NODE = checkRules([name, anew, addressOwner, address, dns, dhcp, balancer, script, door], words);

/**
 * Judges whether nodes can join: first what all need, then node by node.
 * Source: openshift-docs, machine_management/adding-rhcos-compute (what a node needs).
 */
export function judgeJoining(evidence: JoiningEvidence): Finding[] {
  return [...judge(SITE, evidence), ...evidence.nodes.flatMap((node) => judge(NODE, node))];
}
