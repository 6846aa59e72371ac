import template from '../../templates/report.html.eta';
import type { Design } from '../design/model.ts';
import { describeCompany, groupByNetwork, listInsideNetworks } from '../design/network-diagram.ts';
import { renderNetworkSvg } from '../design/network-svg.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { renderHtmlTemplate } from './shared/render.ts';

const words = () => catalogue().report;

/** The content of a section, as plain text without markup. */
type ReportContent =
  /** Names with their values, each with remarks about it. */
  | {
      readonly kind: 'facts';
      readonly facts: readonly { readonly name: string; readonly value: string; readonly remarks: readonly string[] }[];
    }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | ReportTable
  /** Files with their contents in words, and the command that removes each; null: the file is to be kept. */
  | {
      readonly kind: 'files';
      readonly intro: string;
      readonly files: readonly { readonly name: string; readonly contents: string; readonly command: string | null }[];
    };

interface ReportTable {
  readonly kind: 'table';
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A part of the report, as data. */
export type ReportPart = {
  readonly id: 'facts' | 'open' | 'overrides' | 'nodes' | 'services' | 'afterwards' | 'secrets' | 'pods' | 'timeline';
  /** Empty for the facts, which come first. */
  readonly heading: string;
} & ReportContent;

/** The report on a cluster: Markdown, HTML and JSON are made of it. */
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
      return [part.columns, part.columns.map(() => '---'), ...part.rows].map((cells) => `| ${cells.join(' | ')} |`);
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
 * Renders the report as one HTML document with the network diagram. It has no script, requests nothing, and its policy
 * (CSP) allows neither. Texts are escaped.
 */
export function renderReportHtml(report: Report, design: Design): string {
  const { cluster, writtenAt, parts } = report;
  const network = { id: 'network', heading: words().html.network, ...listNetworkRows(design) };
  const sections = parts.map((part) => ({ ...part, heading: part.heading === '' ? words().html.facts : part.heading }));
  const at = sections.findIndex(({ id }) => id === 'nodes');
  return renderHtmlTemplate(template, {
    cluster,
    written: words().written(writtenAt),
    contents: words().html.contents,
    sections: [...sections.slice(0, at), network, ...sections.slice(at)],
    diagram: renderNetworkSvg(design),
  });
}

/** The data of the network diagram as a table. */
function listNetworkRows(design: Design): ReportTable {
  const { diagram } = catalogue().pages.review;
  const rows = groupByNetwork(design).flatMap(({ title, hosts, endpoints, nodes }) => [
    ...hosts.map(({ name, addresses, note }) => [name, words().html.host, addresses, '', note, title]),
    ...endpoints.map(({ name, addresses, note }) => [name, words().html.endpoint, addresses, '', note, title]),
    ...nodes.map(({ name, role, ip, mac }) => [name, diagram.roles[role], ip.join(' '), mac, '', title]),
  ]);
  const router = design.networks.machine.flatMap(({ gateway }) => gateway ?? []);
  return {
    kind: 'table',
    columns: words().html.networkColumns,
    rows: [
      [describeCompany(design), '', '', '', '', ''],
      [diagram.router, '', router.join(' '), '', '', ''],
      ...rows,
      ...listInsideNetworks(design).map(({ name, text }) => [name, '', text, '', '', diagram.insideCluster]),
    ],
  };
}
