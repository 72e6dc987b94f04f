import type { Engine } from '../engine.js';

/**
 * How the server plans statements, in every session.
 *
 * PostgreSQL plans for any values: a page costs the same whatever its request contains, and the plan that passes the
 * tests is the plan that is used. Such a plan looks more expensive than it is, and its compilation would take longer
 * than its execution. Citus plans for the values, which determine the shards: it refuses many generic plans, or answers
 * wrongly.
 */
export function planningOf(engine: Engine): Record<string, string> {
  return {
    plan_cache_mode: engine === 'citus' ? 'force_custom_plan' : 'force_generic_plan',
    jit: 'off',
  };
}
