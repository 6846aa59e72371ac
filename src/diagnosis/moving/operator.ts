import { catalogue } from '../../i18n/catalogue.ts';
import { deriveOperatorHealth } from '../../openshift/operator.ts';
import { check } from '../rule.ts';
import type { MoveCheckEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.moving;

/** An unhealthy operator rolls nothing out. One that the move may repair is no obstacle. */
export const operator = check<MoveCheckEvidence, 'move-operator'>(
  'move-operator',
  'fatal',
  ({ operator: found, canFixOperator, isFromOperatorHub }) => {
    if (canFixOperator) return null;
    if (found === null) return { state: 'unknown' };
    const health = deriveOperatorHealth(found);
    const isHealthy = health === 'fine' || health === 'progressing';
    if (isHealthy) return { state: 'ok', subject: found.name };
    const { wrong } = words().checks['move-operator'];
    const operatorHubWords = isFromOperatorHub ? { words: { wrong, remedy: words().operatorHubRemedy } } : {};
    const detail = isFromOperatorHub ? words().operatorHubStatus(found.reason, found.message) : found.message;
    return { state: 'failed', subject: found.name, detail, ...operatorHubWords };
  },
);
