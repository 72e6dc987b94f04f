import type { AccountEntity } from '#src/auth/accounts/account.entity';

/** Returns an account with this id, for a verifier of keys in a test. */
export function accountOf(id: bigint): AccountEntity {
  return { id, name: `account ${id}`, createdAt: new Date() };
}
