import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Page, type PageQuery, PetsService, type Transaction } from 'petstore';
import { Counter, register } from 'prom-client';

import type { Intake, NewIntake, NewVisit, Visit } from './visit.dto.js';
import { VisitInPast, VisitTaken } from './visit.errors.js';
import { VisitsRepository } from './visits.repository.js';

const booked =
  (register.getSingleMetric('shelter_visits_booked_total') as Counter | undefined) ??
  new Counter({ name: 'shelter_visits_booked_total', help: 'Visits that were booked.' });

/** The rules about visits. */
@Injectable()
export class VisitsService {
  constructor(
    private readonly visits: VisitsRepository,
    private readonly pets: PetsService,
  ) {}

  /** Returns a page of visits in the order of their ids. */
  async list({ after, limit }: PageQuery): Promise<Page<Visit>> {
    return Page.from(await this.visits.list(after, limit + 1), limit);
  }

  /** @throws NotFound, VisitInPast, VisitTaken */
  async book(accountId: bigint, newVisit: NewVisit, transaction: Transaction): Promise<Visit> {
    await this.pets.get(accountId, newVisit.petId, transaction);
    if (newVisit.day < new Date().toISOString().slice(0, 10)) throw new VisitInPast();
    const visit = await this.visits.insert(newVisit, transaction);
    if (!visit) throw new VisitTaken();
    transaction.onCommit(() => booked.inc());
    return visit;
  }

  /** Adds an animal and its first visit, or neither. */
  async admit(accountId: bigint, { pet, day, reason }: NewIntake, transaction: Transaction): Promise<Intake> {
    const added = await this.pets.create(accountId, pet, transaction);
    return { pet: added, visit: await this.book(accountId, { petId: added.id, day, reason }, transaction) };
  }

  @Cron(CronExpression.EVERY_10_MINUTES)
  async deleteOld(): Promise<void> {
    await this.visits.deleteOld();
  }
}
