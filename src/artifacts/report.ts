import template from '../../templates/report.html.eta';
import type { Design } from '../design/model.ts';
import {
  describeCompanyNetworks,
  groupByNetwork,
  listPodAndServiceNetworks,
  listRouterAddresses,
} from '../design/network-diagram.ts';
import { renderNetworkSvg } from '../design/network-svg.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { escapeMarkup } from '../platform/sanitize.ts';
import { renderHtmlTemplate } from './shared/render.ts';
import { listTimelineCells, renderTimelineSvg, type TimelineRow } from './timeline.ts';

const words = () => catalogue().report;

/** The content of a part of the report, as plain text without markup. */
type ReportContent =
  /** Names with their values, each with remarks about it. */
  | {
      readonly kind: 'facts';
      readonly facts: readonly { readonly name: string; readonly value: string; readonly remarks: readonly string[] }[];
    }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | ReportTable
  /** Bars on one time axis, with their data as a table. */
  | { readonly kind: 'timeline'; readonly columns: readonly string[]; readonly rows: readonly TimelineRow[] }
  /** Tasks with their commands, in order. */
  | {
      readonly kind: 'tasks';
      readonly tasks: readonly {
        readonly title: string;
        readonly text: string;
        readonly commands: readonly string[];
      }[];
    }
  /** Results of checks, the most urgent first. */
  | { readonly kind: 'checks'; readonly intro: string; readonly results: readonly ReportCheckResult[] }
  /** Files with their contents in words, and the command that removes each; null: the file is to be kept. */
  | {
      readonly kind: 'files';
      readonly intro: string;
      readonly files: readonly { readonly name: string; readonly contents: string; readonly command: string | null }[];
    };

/**
 * The result of a check. `blocked`: the failure stops what is checked; `warning`: the failure matters, but stops
 * nothing.
 */
interface ReportCheckResult {
  readonly id: string;
  readonly state: 'blocked' | 'warning' | 'pending' | 'unknown' | 'ok';
  readonly title: string;
  /** Empty for a check that is ok, as are the commands. */
  readonly text: string;
  readonly commands: readonly string[];
}

interface ReportTable {
  readonly kind: 'table';
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The parts of the report, in their order. */
const REPORT_PART_IDS = [
  'facts',
  'open',
  'overrides',
  'unknown',
  'timeline',
  'network',
  'nodes',
  'records',
  'balancer',
  'services',
  'storage',
  'requests',
  'used',
  'expiry',
  'update',
  'afterwards',
  'secrets',
  'pods',
  'events',
] as const;

/** A part of the report, as data. */
export type ReportPart = {
  readonly id: (typeof REPORT_PART_IDS)[number];
  /** Empty for the facts, which come first. */
  readonly heading: string;
} & ReportContent;

/** The report on a cluster, from which Markdown, HTML and JSON are rendered. */
export interface Report {
  /** The domain of the cluster. */
  readonly cluster: string;
  /** ISO 8601, in UTC. */
  readonly writtenAt: string;
  /** Only parts with content. */
  readonly parts: readonly ReportPart[];
}

/** Renders a part of report.md as lines of Markdown, without its heading. */
export function renderMarkdownPart(part: ReportPart): string[] {
  switch (part.kind) {
    case 'facts':
      return part.facts.flatMap(({ name, value, remarks }) => [
        `- ${words().fact(name, value)}`,
        ...remarks.map((text) => `  - ${text}.`),
      ]);
    case 'list':
      return part.items.map((item) => `- ${item}`);
    case 'table':
      return renderMarkdownTable(part.columns, part.rows);
    case 'timeline':
      return renderMarkdownTable(part.columns, listTimelineCells(part.rows));
    case 'tasks':
      return part.tasks.flatMap(({ title, text, commands }) => [
        `- ${words().fact(title, text)}`,
        ...commands.map((command) => `  \`${command}\``),
      ]);
    case 'checks':
      return [
        part.intro,
        '',
        ...part.results.flatMap(({ state, title, text, commands }) => [
          `- ${formatCheck(state, title)}${text === '' ? '' : `. ${text}`}`,
          ...commands.map((command) => `  \`${command}\``),
        ]),
      ];
    case 'files':
      return [
        part.intro,
        '',
        ...part.files.flatMap(({ name, contents, command }) => [
          `- ${words().fact(name, contents)}`,
          ...(command === null ? [] : [`  \`${command}\``]),
        ]),
      ];
  }
}

const formatCheck = (state: ReportCheckResult['state'], title: string) =>
  words().fact(words().checkStates[state], title);

/** Renders a Markdown table. A vertical bar in a cell would end the cell, so a slash replaces it. */
function renderMarkdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [columns, columns.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '/')).join(' | ')} |`,
  );
}

/** Renders the whole text of report.md. */
export function renderReportMarkdown(report: Report): string {
  const lines = report.parts.flatMap((part) => [
    '',
    ...(part.heading === '' ? [] : [`## ${part.heading}`, '']),
    ...renderMarkdownPart(part),
  ]);
  return `${[`# ${report.cluster}`, '', words().written(report.writtenAt), ...lines].join('\n')}\n`;
}

/**
 * Renders the report as one HTML document with the network diagram, if there is a design. It has no script, requests
 * nothing, and its policy (CSP) allows neither. Texts are escaped.
 */
export function renderReportHtml(report: Report, design: Design | null): string {
  const { cluster, writtenAt, parts } = report;
  const network =
    design === null ? [] : [{ id: 'network' as const, heading: words().html.network, ...createNetworkTable(design) }];
  const sections = [...parts, ...network]
    .sort((a, b) => REPORT_PART_IDS.indexOf(a.id) - REPORT_PART_IDS.indexOf(b.id))
    .map((part) => ({
      ...part,
      heading: part.heading === '' ? words().html.facts : part.heading,
      ...(part.kind === 'timeline'
        ? { kind: 'table', drawing: renderTimelineSvg(part.rows), rows: listTimelineCells(part.rows) }
        : { drawing: part.id === 'network' && design !== null ? renderNetworkSvg(design) : null }),
    }));
  return renderHtmlTemplate(template, {
    cluster,
    written: words().written(writtenAt),
    contents: words().html.contents,
    asTable: words().html.asTable,
    escape: (text: string) => escapeMarkup(text),
    formatCheck,
    sections,
  });
}

/** Creates a table with the data of the network diagram. */
function createNetworkTable(design: Design): ReportTable {
  const { diagram } = catalogue().pages.review;
  const rows = groupByNetwork(design).flatMap(({ title, hosts, endpoints, nodes }) => [
    ...hosts.map(({ name, addresses, note }) => [name, words().html.host, addresses, '', note, title]),
    ...endpoints.map(({ name, addresses, note }) => [name, words().html.endpoint, addresses, '', note, title]),
    ...nodes.map(({ name, role, ip, mac }) => [name, diagram.roles[role], ip.join(' '), mac, '', title]),
  ]);
  return {
    kind: 'table',
    columns: words().html.networkColumns,
    rows: [
      [describeCompanyNetworks(design), '', '', '', '', ''],
      [diagram.router, '', listRouterAddresses(design).join(' '), '', '', ''],
      ...rows,
      ...listPodAndServiceNetworks(design).map(({ name, text }) => [name, '', text, '', '', diagram.insideCluster]),
    ],
  };
}
