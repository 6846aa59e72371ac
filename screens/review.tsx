import type { Design, Problem } from '../src/design/model.ts';
import { apiIntName, apiName, appsDomain, serviceHosts } from '../src/design/names.ts';
import { pages } from '../src/text/en/pages.ts';
import { screens } from '../src/text/en/screens.ts';
import { Gap } from '../src/ui/components/label.tsx';
import { Notice } from '../src/ui/components/notices.tsx';
import { LogView, type TextLine } from '../src/ui/components/text-views.tsx';
import { useArea } from '../src/ui/look.tsx';
import type { Tone } from '../src/ui/theme.ts';
import { wrapLines } from '../src/ui/width.ts';
import { type Field, ownsPath } from '../src/wizard/fields.ts';
import { FORMS } from '../src/wizard/pages/index.ts';
import { nodeFields } from '../src/wizard/pages/nodes.ts';
import { errorsOf, type WizardState } from '../src/wizard/state.ts';
import { canUndo } from '../src/wizard/undo.ts';
import { documentNodes } from '../src/wizard/update-nodes.ts';
import { commonBindings, moveBindings } from './shared/bindings.ts';
import type { Screen } from './shared/screen.ts';
import { Paragraph, paragraphRows } from './shared/text.tsx';

const words = screens.review;

export const reviewScreen: Screen = {
  id: 'review',
  place: screens.places.design(pages.review.title),
  bindings(state) {
    const errors = errorsOf(allProblems(state)).length;
    return [
      {
        keys: ['enter'],
        label: screens.keys.next,
        intent: { type: 'screen/next' },
        ...(errors > 0 ? { disabled: pages.designHasErrors(errors) } : {}),
      },
      ...(allProblems(state).length > 0
        ? [{ keys: ['p'], label: screens.keys.firstProblem, intent: { type: 'review/jump' as const } }]
        : []),
      ...(canUndo(state)
        ? [{ keys: ['u'], label: screens.keys.undoLast, intent: { type: 'document/undo' as const } }]
        : []),
      ...moveBindings(
        screens.keys.row,
        (by) => ({ type: 'review/scroll', by, count: reviewLines(state, 80).length }),
        10,
      ),
      ...commonBindings({ isTyping: false }),
    ];
  },
  help: () => [pages.review.intro],
  draw: (state) => <ReviewView state={state} />,
};

function ReviewView({ state }: { readonly state: WizardState }) {
  const area = useArea();
  const lines = reviewLines(state, area.columns);
  const problems = allProblems(state);
  const errors = errorsOf(problems).length;
  const warnings = problems.length - errors;
  const room = area.rows - 3 - paragraphRows(pages.review.intro, area.columns);
  return (
    <>
      <Paragraph text={pages.review.intro} tone="dim" />
      <Gap />
      <LogView lines={lines} top={Math.min(state.reviewTop, Math.max(0, lines.length - room))} height={room} />
      <Gap />
      {state.notice ? (
        <Notice kind={state.notice.kind} text={state.notice.text} height={1} />
      ) : (
        <Notice
          kind={errors > 0 ? 'error' : warnings > 0 ? 'warning' : 'ok'}
          text={errors + warnings > 0 ? words.problems(errors, warnings) : words.ok}
          height={1}
        />
      )}
    </>
  );
}

function reviewLines(state: WizardState, columns: number): TextLine[] {
  return [...problemLines(state, columns), ...(state.design ? designLines(state.design) : [])];
}

/** Of the design, and of the files that it names for the credentials. */
function allProblems(state: WizardState): readonly Problem[] {
  return [...state.problems, ...state.credentialProblems];
}

function problemLines(state: WizardState, columns: number): TextLine[] {
  const problems = allProblems(state);
  if (problems.length === 0) return [];
  return [
    { text: words.groups.problems, tone: 'accent' },
    ...problems.flatMap(({ severity, path, message, fix }): TextLine[] => [
      ...indented(`${severity}: ${nameOf(state, path)}${message}`, 2, columns, severity === 'error' ? 'error' : 'warn'),
      ...indented(fix, 4, columns, 'dim'),
    ]),
    { text: '' },
  ];
}

function indented(text: string, by: number, columns: number, tone: Tone): TextLine[] {
  return wrapLines(text, columns - by).map((line) => ({ text: `${' '.repeat(by)}${line}`, tone }));
}

/** What a problem is about, in the words of its page: `m1: MAC address: `. */
function nameOf(state: WizardState, path: string): string {
  const [, index, rest = ''] = /^nodes\.(\d+)(?:\.(.+))?$/.exec(path) ?? [];
  const fields: readonly Field[] = index === undefined ? Object.values(FORMS).flat() : nodeFields;
  const label = fields.find((field) => ownsPath(field, index === undefined ? path : rest))?.words.label;
  const node = index === undefined ? '' : String(documentNodes(state)[Number(index)]?.name ?? '');
  return [node, label ?? ''].flatMap((part) => (part === '' ? [] : [`${part}: `])).join('');
}

function designLines(design: Design): TextLine[] {
  const { networks, endpoints, services } = design;
  const pair = (name: string, value: string): TextLine => ({ text: `  ${name.padEnd(18)}${value}` });
  return [
    { text: words.groups.cluster, tone: 'accent' },
    pair(
      'OpenShift',
      `${design.openshift.version} ${design.openshift.architecture}, ${design.topology}${design.fips ? ', FIPS' : ''}`,
    ),
    pair('Domain', `${design.cluster.name}.${design.cluster.baseDomain}`),
    { text: '' },
    { text: words.groups.networks, tone: 'accent' },
    ...diagram(design),
    pair('Cluster network', networks.cluster.map(({ cidr, hostPrefix }) => `${cidr} /${hostPrefix}`).join(', ')),
    pair('Service network', networks.service.join(', ')),
    { text: '' },
    { text: words.groups.endpoints, tone: 'accent' },
    pair(endpoints.api.join(', '), `${apiName(design)} :6443`),
    pair(endpoints.apiInt.join(', '), `${apiIntName(design)} :6443 :22623`),
    pair(endpoints.ingress.join(', '), `*.${appsDomain(design)} :443 :80`),
    { text: '' },
    { text: words.groups.nodes, tone: 'accent' },
    ...design.nodes.map(
      ({ name, role, ip, mac, vcpu, memoryGiB }): TextLine => ({
        text: `  ${name.padEnd(8)}${role.padEnd(15)}${ip.join(', ').padEnd(16)}${mac}  ${vcpu} vCPU ${memoryGiB} GiB`,
      }),
    ),
    { text: '' },
    { text: words.groups.services, tone: 'accent' },
    ...serviceHosts(design).map(
      ({ name, ip, os }): TextLine => ({ text: `  ${name.padEnd(18)}${ip.join(', ').padEnd(16)}${os}` }),
    ),
    pair('DNS', services.dns.kind),
    pair('DHCP', `${services.dhcp.kind}${services.dhcp.server ? ` on ${services.dhcp.server}` : ''}`),
    pair('Load balancer', services.loadBalancer.kind),
    pair('Boot', `${services.boot.kind}, port ${services.boot.httpPort}`),
    pair('Time', services.time.servers.join(', ') || words.notSet),
  ];
}

/** company ──[ router ]── machine network, with who is on it. */
function diagram(design: Design): TextLine[] {
  const { machine, company, router } = design.networks;
  const gateway = machine[0]?.gateway ?? words.notSet;
  const left = company.length > 0 ? company.join(', ') : words.company;
  const on = [...serviceHosts(design).map(({ name }) => name), ...design.nodes.map(({ name }) => name)];
  const rows: string[] = [];
  for (let index = 0; index < on.length; index += 8) rows.push(on.slice(index, index + 8).join(' '));
  return [
    { text: `  ${left} --[ ${router ?? words.router} | ${gateway} ]--+` },
    { text: `      ${machine.map(({ cidr }) => cidr).join(', ')}` },
    ...rows.map((row): TextLine => ({ text: `      | ${row}`, tone: 'dim' })),
  ];
}
