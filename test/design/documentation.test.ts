import { expect, test } from 'vitest';
import { formatDocumentationLink } from '../../src/design/documentation.ts';

test.each([
  ['4.18', '4.18'],
  ['4.14.7', '4.14'],
  ['4.6', '4.12'],
  ['4.22.3', '4.22'],
  ['5.0', '4.22'],
  ['', '4.22'],
])('a design of version %j is explained by the documentation of %s', (version, expected) => {
  expect(formatDocumentationLink(version, 'nodes/page#section')).toBe(
    `https://docs.redhat.com/en/documentation/openshift_container_platform/${expected}/html/nodes/page#section`,
  );
});

test.each([
  [
    'nodes/controlling-pod-placement-onto-nodes-scheduling#x',
    'nodes/scheduling/nodes-scheduler-taints-tolerations.html#x',
  ],
  [
    'support/troubleshooting#troubleshooting-installations',
    'support/troubleshooting/troubleshooting-installations.html',
  ],
  ['operators/cluster-operators-ref', 'operators/operator-reference.html'],
  ['architecture/control-plane', 'architecture/control-plane.html'],
])('OKD has its own address of %s', (page, expected) => {
  expect(formatDocumentationLink('4.20.0-okd-scos.3', page)).toBe(`https://docs.okd.io/4.20/${expected}`);
});

test.each([
  ['4.19.0-okd-scos.9', '4.19'],
  ['4.22.0-okd-scos.1', '4.21'],
  ['5.0.0-okd-scos.ec.1', '4.21'],
])('a design of OKD %s is explained by the documentation of OKD %s', (version, expected) => {
  expect(formatDocumentationLink(version, 'architecture/control-plane')).toBe(
    `https://docs.okd.io/${expected}/architecture/control-plane.html`,
  );
});
