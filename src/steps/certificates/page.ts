import type { RejoinAssessment } from '../../checks/certificates.ts';
import { reviewRequests } from '../../csr/review-requests.ts';
import { type CsrVerdict, canApproveByName, describeRequest, type NameComparison } from '../../csr/verdict.ts';
import { nodeFqdn } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { CertificateRequest } from '../../openshift/certificate-request.ts';
import { formatTimeOfDay } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import type { Page, StepContext } from '../contract.ts';
import { readSnapshot } from '../shared/cluster-access.ts';
import { probeBoot } from '../shared/machines/boot-progress.ts';
import { getFirstPowerOn } from '../shared/machines/node-facts.ts';
import { proveKey } from './key-proof.ts';
import { buildMissingPage } from './missing-node.ts';
import { assessRejoins, explainReasons } from './rejoin.ts';

const words = () => catalogue().steps.certificates.page;
const proof = () => catalogue().steps.certificates.proof;

/**
 * Builds the page about one request: its content beside the plan, its sender, and whether its node was observed
 * booting.
 * @param subject its name; with `/key` appended, whether the machine at the planned address holds its key; `/node/NAME`
 * for a node without a request
 */
export async function buildCertificatePage(context: StepContext, subject: string): Promise<Page> {
  const [name = '', detail, nodeName] = subject.split('/');
  const missing = detail === 'node' ? context.design.nodes.find((node) => node.name === nodeName) : undefined;
  if (missing) return await buildMissingPage(context, missing);
  const { design, clock } = context;
  const snapshot = await readSnapshot(context, ['nodes', 'requests']);
  const requests = snapshot?.requests ?? [];
  const request = requests.find((one) => one.name === name);
  const nodes = snapshot?.nodes ?? [];
  const allReviewed = reviewRequests(requests, {
    design,
    nodes,
    now: clock.now(),
    bootedSince: getFirstPowerOn(context),
  });
  const reviewed = allReviewed.find((one) => one.name === name);
  const title = words().title(sanitizeLine(name, 60));
  if (!request || !reviewed) return { title, lines: [snapshot?.api.line ?? catalogue().csr.approve.deleted] };
  const node = design.nodes.find((one) => nodeFqdn(design, one) === reviewed.node) ?? null;
  const { fingerprint, requestedAt } = reviewed;
  if (detail === 'key' && node !== null && fingerprint !== null) {
    const found = await proveKey(context, node, { fingerprint, requestedAt });
    return { title: proof().title(node.name), lines: [...found, '', words().facts.fingerprint(fingerprint)] };
  }
  const rejoinAssessments = await assessRejoins(context, [reviewed], nodes);
  const rejoining = rejoinAssessments.get(name)?.kind ?? null;
  const planned = { addresses: node?.ip ?? [], names: node ? [nodeFqdn(design, node), node.name] : [] };
  const described = describeRequest(request, planned);
  return {
    title,
    lines: [
      ...formatVerdict(reviewed, explainReasons(reviewed, rejoinAssessments), rejoining),
      '',
      ...formatFacts(request, reviewed, described?.key ?? null),
      ...(described === null || described.names.length === 0 ? [] : ['', words().names]),
      ...(described?.names ?? []).map(formatName),
      ...(reviewed.kind === 'client' && node && rejoining === null ? ['', ...(await describeBoot(context, node))] : []),
    ],
    ...(node === null || fingerprint === null || reviewed.kind === 'other'
      ? {}
      : { more: { label: proof().key, subject: `${name}/key` } }),
  };
}

function formatVerdict(
  reviewed: CsrVerdict,
  sentences: readonly string[],
  rejoining: RejoinAssessment['kind'] | null,
): string[] {
  const { verdict, reasons } = reviewed;
  const why = reasons.map((reason, index) => words().reason(reason, sentences[index] ?? ''));
  if (verdict !== 'refused') return [words().verdicts[verdict], ...why];
  const mayOverrule = rejoining === null ? words().canOverride : words().canOverrideRejoining[rejoining];
  return [words().verdicts[verdict], ...why, canApproveByName(reviewed) ? mayOverrule : words().cannotApprove];
}

function formatFacts(request: CertificateRequest, { node, fingerprint }: CsrVerdict, key: string | null): string[] {
  const { facts } = words();
  const list = (texts: readonly string[]) => texts.map((text) => sanitizeLine(text, 120)).join(', ') || words().none;
  return [
    facts.node(node ?? words().none),
    facts.requestedAt(request.requestedAt === null ? words().none : formatTimeOfDay(request.requestedAt)),
    facts.signer(sanitizeLine(request.signer, 120)),
    facts.requester(sanitizeLine(request.requester, 160)),
    facts.groups(list(request.groups)),
    facts.usages(list(request.usages)),
    facts.key(key ?? words().unreadable),
    facts.fingerprint(fingerprint ?? words().none),
  ];
}

function formatName({ kind, text, state }: NameComparison): string {
  return words().name(words().kinds[kind], sanitizeLine(text, 253), words().states[state]);
}

/** Describes whether the machine was observed booting: missing evidence is reported, and is no reason to refuse. */
async function describeBoot(context: StepContext, node: StepContext['design']['nodes'][number]): Promise<string[]> {
  const { view } = await probeBoot(context, [node]);
  const [machine] = view.nodes;
  if (!machine || machine.stage === 'off') return [words().boot.notObserved(node.ip.join(', '), node.mac)];
  const when =
    machine.lastSeenAt === null
      ? ''
      : words().boot.last(formatTimeOfDay(machine.lastSeenAt), sanitizeLine(machine.detail, 120));
  return [words().boot.observed(catalogue().steps.boot.stages[machine.stage], when)];
}
