import { DomainError } from 'petstore';

/** The day is over. */
export class VisitInPast extends DomainError {
  constructor() {
    super('visit_in_past', 422, 'A visit cannot be in the past.');
  }
}

/** The animal has another visit on this day. */
export class VisitTaken extends DomainError {
  constructor() {
    super('visit_taken', 409, 'This animal has a visit on this day.');
  }
}
