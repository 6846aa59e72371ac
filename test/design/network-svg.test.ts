import { expect, test } from 'vitest';
import { renderNetworkSvg } from '../../src/design/network-svg.ts';
import { exampleSite } from '../support/example-design.ts';

/** Returns the texts of an SVG; fails when an element is not closed. */
function readTexts(svg: string): readonly string[] {
  const open: string[] = [];
  for (const [, end = '', name = '', self = ''] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (end === '/') expect(open.pop()).toBe(name);
    else if (self !== '/') open.push(name);
  }
  expect(open).toEqual([]);
  return [...svg.matchAll(/<text[^>]*>(?:<title>[^<]*<\/title>)?([^<]*)<\/text>/g)].map(([, text = '']) => text);
}

test('the picture of the networks has every host, endpoint and node with its addresses', () => {
  const design = exampleSite();
  const svg = renderNetworkSvg(design);
  const texts = readTexts(svg);
  for (const { name, ip, mac } of design.nodes) expect(texts).toEqual(expect.arrayContaining([name, ip[0], mac]));
  for (const text of ['bastion', 'ns1', 'lb1', 'api', 'api-int', '*.apps', 'company 192.168.124.0/24'])
    expect(texts).toContain(text);
  expect(svg).toContain('role="img"');
  expect(svg).toContain('3 control plane');
  // No other file, and no script.
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|<script|url\(|href/);
});

test('the members of the load balancer stand in the picture stage by stage', () => {
  const texts = readTexts(renderNetworkSvg(exampleSite()));
  const stages = texts.slice(texts.indexOf('load balancer members by stage') + 1);
  const API = [':6443 :22623', 'm1 m2 m3', ':80 :443'];
  expect(stages).toEqual([
    ...['during the installation', ':6443 :22623', 'bs (backup)', 'm1 m2 m3', ':80 :443', 'w1 w2 w3'],
    ...['without the bootstrap', ...API, 'w1 w2 w3'],
    ...['with infra nodes', ...API, 'w1 w2 w3', 'i1 i2 i3'],
    ...['after the infra moves', ...API, 'i1 i2 i3'],
  ]);
});

test('a stage with the members of the one before, and a node without a load balancer, have no card', () => {
  const design = exampleSite();
  const withoutInfra = { ...design, nodes: design.nodes.filter(({ role }) => role !== 'infra') };
  const texts = readTexts(renderNetworkSvg(withoutInfra));
  expect(texts).toContain('without the bootstrap');
  expect(texts).not.toContain('with infra nodes');
  expect(texts).not.toContain('after the infra moves');
  const [address] = design.nodes[1]?.ip ?? [];
  const endpoints = { api: [address!], apiInt: [address!], ingress: [address!] };
  expect(readTexts(renderNetworkSvg({ ...design, endpoints }))).not.toContain('load balancer members by stage');
});

test('with 100 nodes each has its card, inside of the picture', () => {
  const design = exampleSite();
  const nodes = Array.from({ length: 100 }, (_, index) => ({
    ...design.nodes[5]!,
    name: `worker-with-quite-a-long-name-${index}`,
    ip: [`172.16.0.${index + 120}`],
  }));
  const svg = renderNetworkSvg({ ...design, nodes });
  const texts = readTexts(svg);
  expect(texts).toContain('100 compute');
  // A name that is too long for its card is there in full as its title.
  expect(texts.filter((text) => text === 'worker-with-quite-a-long…')).toHaveLength(100);
  for (const { name, ip } of nodes) {
    expect(svg).toContain(`<title>${name}</title>`);
    expect(texts).toContain(ip[0]);
  }
  const [, width = 0, height = 0] = /viewBox="0 0 (\d+) ([\d.]+)"/.exec(svg)?.map(Number) ?? [];
  for (const [, x = 0, y = 0, w = 0, h = 0] of [
    ...svg.matchAll(/x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g),
  ].map((match) => match.map(Number))) {
    expect(x + w).toBeLessThanOrEqual(width);
    expect(y + h).toBeLessThanOrEqual(height);
  }
});

test('texts of the design are no markup', () => {
  const design = exampleSite();
  const hostile = `</text><script>alert(1)</script>&"'`;
  const nodes = design.nodes.map((node, index) =>
    index === 0 ? { ...node, name: hostile, mac: '\u001b]0;x\u0007<b>' } : node,
  );
  const svg = renderNetworkSvg({ ...design, nodes, networks: { ...design.networks, company: [hostile] } });
  readTexts(svg);
  expect(svg).not.toMatch(/<script|<b>|\u001b/);
  expect(svg).toContain('&lt;/text&gt;&lt;script&gt;');
});

test('external name servers stand beside the networks of the company', () => {
  const design = exampleSite();
  const dns = { ...design.services.dns, kind: 'external' as const, servers: [] };
  expect(readTexts(renderNetworkSvg({ ...design, services: { ...design.services, dns } }))).toContain(
    'company 192.168.124.0/24, your DNS 192.168.124.1',
  );
});
