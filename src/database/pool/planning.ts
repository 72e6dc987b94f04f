import type { Engine } from '../engine.js';

/**
 * The planner's settings of every session. Generic plans do not depend on the values of parameters, so production uses
 * the plans that the tests check. The estimated cost of generic plans is too high, which would trigger JIT compilation
 * that takes longer than the statement.
 */
export function planningOf(engine: Engine): Record<string, string> {
  return {
    plan_cache_mode: engine === 'citus' ? 'force_custom_plan' : 'force_generic_plan',
    jit: 'off',
  };
}
