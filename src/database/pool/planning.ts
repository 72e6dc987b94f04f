/**
 * How the server shall plan, in every session. Statements are planned for any values, not for those
 * at hand: a page costs the same whatever it asks for, and a plan that passes the tests is the plan
 * that is used. Such a plan looks dearer than it is, and to compile it would take longer than to run it.
 */
export const PLANNING = { plan_cache_mode: 'force_generic_plan', jit: 'off' };
