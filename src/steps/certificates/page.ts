import { describeRequest, type NameBeside } from '../../cluster/csr/describe.ts';
import { judgeAll } from '../../cluster/csr/judge-all.ts';
import { type Judgement, mayApproveByName } from '../../cluster/csr/judgement.ts';
import type { CertificateRequest } from '../../cluster/csr/request.ts';
import { nodeFqdn } from '../../design/names.ts';
import type { Rejoining } from '../../diagnosis/certificates/rejoining.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { timeOfDay } from '../../text/time-of-day.ts';
import type { Page, StepContext } from '../contract.ts';
import { look } from '../shared/access.ts';
import { watchBoot } from '../shared/machines/boot-watch.ts';
import { bootedSince } from '../shared/machines/later-nodes.ts';
import { proveKey } from './key-proof.ts';
import { missingPage } from './missing-node.ts';
import { rejoinings, whyNot } from './rejoining.ts';

const words = () => catalogue().steps.certificates.page;
const proof = () => catalogue().steps.certificates.proof;

/**
 * All there is to know of one request: what it asks beside the plan, who sent it, and whether we saw the node boot.
 * @param subject its name; `/key` after it: does the machine at the planned address hold its key? `/node/NAME`: a node
 */
export async function certificatePage(context: StepContext, subject: string): Promise<Page> {
  const [name = '', about, which] = subject.split('/');
  const missing = about === 'node' ? context.design.nodes.find((node) => node.name === which) : undefined;
  if (missing) return await missingPage(context, missing);
  const { design, clock } = context;
  const snapshot = await look(context, ['nodes', 'requests']);
  const requests = snapshot?.requests ?? [];
  const request = requests.find((one) => one.name === name);
  const nodes = snapshot?.nodes ?? [];
  const all = judgeAll(requests, { design, nodes, now: clock.now(), bootedSince: bootedSince(context) });
  const judged = all.find((one) => one.name === name);
  const title = words().title(sanitizeLine(name, 60));
  if (!request || !judged) return { title, lines: [snapshot?.api.line ?? catalogue().csr.approve.gone] };
  const node = design.nodes.find((one) => nodeFqdn(design, one) === judged.node) ?? null;
  const { fingerprint, requestedAt } = judged;
  if (about === 'key' && node !== null && fingerprint !== null) {
    const found = await proveKey(context, node, { fingerprint, requestedAt });
    return { title: proof().title(node.name), lines: [...found, '', words().facts.fingerprint(fingerprint)] };
  }
  const again = await rejoinings(context, [judged], nodes);
  const rejoining = again.get(name)?.kind ?? null;
  const planned = { addresses: node?.ip ?? [], names: node ? [nodeFqdn(design, node), node.name] : [] };
  const described = describeRequest(request, planned);
  return {
    title,
    lines: [
      ...verdictLines(judged, whyNot(judged, again), rejoining),
      '',
      ...factLines(request, judged, described?.key ?? null),
      ...(described === null || described.names.length === 0 ? [] : ['', words().names]),
      ...(described?.names ?? []).map(nameLine),
      ...(judged.kind === 'client' && node && rejoining === null ? ['', ...(await bootLines(context, node))] : []),
    ],
    ...(node === null || fingerprint === null || judged.kind === 'other'
      ? {}
      : { more: { label: proof().key, subject: `${name}/key` } }),
  };
}

function verdictLines(judged: Judgement, sentences: readonly string[], rejoining: Rejoining['kind'] | null): string[] {
  const { verdict, reasons } = judged;
  const why = reasons.map((reason, index) => words().reason(reason, sentences[index] ?? ''));
  if (verdict !== 'refused') return [words().verdicts[verdict], ...why];
  const mayOverrule = rejoining === null ? words().mayOverrule : words().mayOverruleRejoining[rejoining];
  return [words().verdicts[verdict], ...why, mayApproveByName(judged) ? mayOverrule : words().mayNot];
}

function factLines(request: CertificateRequest, { node, fingerprint }: Judgement, key: string | null): string[] {
  const { facts } = words();
  const list = (texts: readonly string[]) => texts.map((text) => sanitizeLine(text, 120)).join(', ') || words().none;
  return [
    facts.node(node ?? words().none),
    facts.at(request.requestedAt === null ? words().none : timeOfDay(request.requestedAt)),
    facts.signer(sanitizeLine(request.signer, 120)),
    facts.requester(sanitizeLine(request.requester, 160)),
    facts.groups(list(request.groups)),
    facts.usages(list(request.usages)),
    facts.key(key ?? words().unreadable),
    facts.fingerprint(fingerprint ?? words().none),
  ];
}

function nameLine({ kind, text, state }: NameBeside): string {
  return words().name(words().kinds[kind], sanitizeLine(text, 253), words().states[state]);
}

/** Whether we saw the machine boot: missing evidence is reported, and is no reason to refuse. */
async function bootLines(context: StepContext, node: StepContext['design']['nodes'][number]): Promise<string[]> {
  const { view } = await watchBoot(context, [node]);
  const [seen] = view.nodes;
  if (!seen || seen.stage === 'off') return [words().boot.nothing(node.ip.join(', '), node.mac)];
  const when =
    seen.lastSeenAt === null ? '' : words().boot.last(timeOfDay(seen.lastSeenAt), sanitizeLine(seen.detail, 120));
  return [words().boot.seen(catalogue().steps.boot.stages[seen.stage], when)];
}
