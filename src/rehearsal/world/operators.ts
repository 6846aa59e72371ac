import type { World } from './world.ts';
export function reconcileOperators(_world: World): void {}
