import { expect, test } from 'vitest';
import {
  describeAddressCount,
  describeClusterNetwork,
  describeEndpointName,
  describePodsPerNode,
} from '../../src/design/derived-facts.ts';
import fc, { anyCharacter } from '../support/property.ts';

test('addresses of a network', () => {
  expect(describeAddressCount('172.16.0.0/24')).toBe('254 addresses');
  expect(describeAddressCount('10.0.0.0/8')).toBe('16,777,214 addresses');
  expect(describeAddressCount('172.16.0.1/32')).toBe('1 address');
  expect(describeAddressCount('fd00::/64')).toBe('2^64 addresses');
  expect(describeAddressCount('172.16.0')).toBe('');
});

test('nodes and pods of a cluster network', () => {
  expect(describeClusterNetwork('10.128.0.0/14', 23)).toBe('512 nodes × 510 pods');
  expect(describeClusterNetwork('10.128.0.0/14', 14)).toBe('1 node × 262,142 pods');
  expect(describeClusterNetwork('10.128.0.0/14', 13)).toBe('');
  expect(describeClusterNetwork('10.128.0.0/14', Number.NaN)).toBe('');
  expect(describeClusterNetwork('fd01::/48', 64)).toBe('65,536 nodes × 2^64 pods');
  expect(describePodsPerNode('10.128.0.0/14', 24)).toBe('254 pods on each node');
  expect(describePodsPerNode('fd01::/48', 64)).toBe('2^64 pods on each node');
  expect(describePodsPerNode('10.128.0.0/14', 13)).toBe('');
});

test('names', () => {
  expect(describeEndpointName('api', 'ocp45', 'example.localdomain')).toBe('api.ocp45.example.localdomain');
  expect(describeEndpointName('apps', 'ocp45', 'example.localdomain')).toBe('*.apps.ocp45.example.localdomain');
  expect(describeEndpointName('api', '', 'example.localdomain')).toBe('');
});

test('half-typed text never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.double(), (text, number) => {
      expect(typeof describeAddressCount(text)).toBe('string');
      expect(describeClusterNetwork('10.128.0.0/14', number)).toMatch(/^$|pods$/);
    }),
  );
});
