import { expect, test } from 'vitest';
import { monitoringPlacementKeys } from '../../src/design/infra-placement.ts';

test.each([
  ['4.6.1', ['grafana', 'k8sPrometheusAdapter'], ['monitoringPlugin', 'metricsServer']],
  ['4.10.67', ['grafana'], ['monitoringPlugin']],
  ['4.11.0', ['k8sPrometheusAdapter'], ['grafana']],
  ['4.14.2', ['monitoringPlugin', 'k8sPrometheusAdapter'], ['metricsServer']],
  ['4.15.0', ['k8sPrometheusAdapter'], ['metricsServer']],
  ['4.16.0', ['metricsServer', 'monitoringPlugin'], ['k8sPrometheusAdapter', 'grafana']],
  ['4.22.0', ['metricsServer'], ['k8sPrometheusAdapter']],
  ['5.0.0-rc.1', ['metricsServer', 'monitoringPlugin'], ['k8sPrometheusAdapter', 'grafana']],
])('the keys of %s', (version, present, absent) => {
  const keys = monitoringPlacementKeys(version);
  expect(keys).toEqual(expect.arrayContaining(['prometheusK8s', 'alertmanagerMain', 'thanosQuerier', ...present]));
  for (const key of [...absent, 'nodeExporter', 'prometheusOperatorAdmissionWebhook']) expect(keys).not.toContain(key);
});

test('an invalid version has no keys', () => {
  for (const version of ['', 'latest', '3.11.0']) expect(monitoringPlacementKeys(version)).toBeNull();
});
