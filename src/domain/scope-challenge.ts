/** Returns the challenge to a key that lacks a scope (RFC 6750, section 3.1). */
export function scopeChallenge(scope: string): string {
  return `Bearer realm="petstore", error="insufficient_scope", scope="${scope}"`;
}
