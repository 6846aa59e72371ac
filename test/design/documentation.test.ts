import { expect, test } from 'vitest';
import { formatDocumentationLink } from '../../src/design/documentation.ts';

test.each([
  ['4.18', '4.18'],
  ['4.14.7', '4.14'],
  ['4.6', '4.12'],
  ['5.0', '4.20'],
  ['', '4.20'],
])('a design of version %j is explained by the documentation of %s', (version, expected) => {
  expect(formatDocumentationLink(version, 'nodes/page#section')).toBe(
    `https://docs.redhat.com/en/documentation/openshift_container_platform/${expected}/html/nodes/page#section`,
  );
});
