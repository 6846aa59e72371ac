// Reads the ConfigMap cluster-monitoring-config as the monitoring operator does.
import { parse } from 'yaml';
import { isVersionAtLeast } from '../../../design/versions.ts';
import { getField, getString, isRecord, splitWords } from '../../api/objects.ts';
import type { ReleaseMetadata } from '../../site/release-metadata.ts';
import type { OperatorContext } from '../world.ts';

/** Maximum number of texts in the cache: enough for all changeable settings of a cluster. */
const MAX_CACHED_TEXTS = 16;
const yamlCache = new Map<string, unknown>();

/**
 * Parses YAML. Controllers read the same settings in every cycle, so valid texts are parsed only once.
 * @returns a shared value that must not be changed
 * @throws Error if the text is no YAML
 */
export function parseCachedYaml(text: string): unknown {
  if (yamlCache.has(text)) return yamlCache.get(text);
  const value: unknown = parse(text);
  if (yamlCache.size >= MAX_CACHED_TEXTS) yamlCache.clear();
  yamlCache.set(text, value);
  return value;
}

const MONITORING_CONFIG_KEYS = splitWords(`
  alertmanagerMain enableUserWorkload userWorkload http kubeStateMetrics openshiftStateMetrics prometheusK8s
  prometheusOperator prometheusOperatorAdmissionWebhook telemeterClient thanosQuerier nodeExporter monitoringPlugin
  metricsServer k8sPrometheusAdapter ingress
`);
/** Components without nodeSelector and tolerations (cluster-monitoring-operator, pkg/manifests/types.go). */
const COMPONENTS_WITHOUT_PLACEMENT = ['prometheusOperatorAdmissionWebhook', 'nodeExporter'];

/**
 * Reads cluster-monitoring-config: the configuration that the operator uses, and the error of the current text. Since
 * 4.18 an unknown key is an error. The operator then keeps the last configuration that it accepted.
 */
export function acceptMonitoringConfig(world: OperatorContext): {
  readonly acceptedConfig: unknown;
  readonly error: string | null;
} {
  const configMap = world.store.get('configmaps', 'openshift-monitoring', 'cluster-monitoring-config');
  const text = getString(configMap, 'data', 'config.yaml');
  const { config, error = null } = parseMonitoringConfig(text, world.release);
  const { saved } = world;
  if (error !== null) {
    const message = `the Cluster Monitoring ConfigMap could not be parsed: ${error}`;
    return { acceptedConfig: parseMonitoringConfig(saved.monitoringConfig, world.release).config, error: message };
  }
  if (saved.monitoringConfig !== text) {
    saved.monitoringConfig = text;
    world.requestSave();
  }
  return { acceptedConfig: config, error };
}

function parseMonitoringConfig(
  text: string,
  release: ReleaseMetadata,
): { readonly config: unknown; readonly error?: string } {
  let config: unknown;
  try {
    config = parseCachedYaml(text) ?? {};
  } catch (error) {
    const detail = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return { config: {}, error: `error converting YAML to JSON: yaml: ${detail}` };
  }
  if (!isRecord(config)) return { config: {}, error: 'cannot unmarshal' };
  if (!isVersionAtLeast(release.version, '4.18')) return { config };
  const unknownKeys = Object.keys(config).filter((key) => !MONITORING_CONFIG_KEYS.includes(key));
  const misplacedKeys = COMPONENTS_WITHOUT_PLACEMENT.flatMap((key) =>
    ['nodeSelector', 'tolerations']
      .filter((field) => getField(config, key, field) !== undefined)
      .map((field) => `${key}.${field}`),
  );
  const [invalidKey] = [...unknownKeys, ...misplacedKeys];
  return invalidKey === undefined
    ? { config }
    : { config: {}, error: `error unmarshaling: unknown field "${invalidKey}"` };
}
