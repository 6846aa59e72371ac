import { CLUSTER_SCENES } from './cluster-scenes.ts';
import { HIDDEN_SCENES } from './hidden-scenes.ts';
import { MACHINE_SCENES } from './machine-scenes.ts';
import type { Scene } from './scene.ts';
import { SERVICE_SCENES } from './service-scenes.ts';

/** Mistakes that no rehearsal plants. */
export const SCENES: readonly Scene[] = [...SERVICE_SCENES, ...MACHINE_SCENES, ...CLUSTER_SCENES, ...HIDDEN_SCENES];
