/** The columns of an order, for SELECT and RETURNING. */
export const ORDER_COLUMNS = 'id, pet_id AS "petId", status, created_at AS "createdAt"';
