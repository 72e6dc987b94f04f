/**
 * Statements are planned for any values, not for those at hand: a page costs the same whatever it
 * asks for, and a plan that passes the tests is the plan that is used.
 */
export const PLAN_CACHE_MODE = 'force_generic_plan';
