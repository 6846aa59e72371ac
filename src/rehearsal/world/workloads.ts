import type { World } from './world.ts';
export function reconcileWorkloads(_world: World): void {}
