import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes } from 'class-validator';

type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** Looks at a value that an instance of a DTO class holds. */
type Check = (instance: object, value: unknown) => boolean;

/** What class-validator's decorators say of a DTO class, found out once. */
export interface Rules {
  /** The names of its fields. */
  readonly fields: readonly string[];

  /**
   * Whether an instance keeps the rules. When it does not, or a rule takes more than a look at a value,
   * class-validator itself has to say: it works out for every object anew which rules there are, and
   * makes an error for each field before it looks at it.
   */
  readonly isSurelyValid: (instance: object) => boolean;
}

const known = new WeakMap<Type, Rules>();

/** The rules of a DTO class. */
export function rulesOf(dto: Type): Rules {
  let rules = known.get(dto);
  if (!rules) known.set(dto, (rules = compile(dto)));
  return rules;
}

function compile(dto: Type): Rules {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const ofField = Map.groupBy(rules, ({ propertyName }) => propertyName);
  const fields = [...ofField].map(([name, all]) => {
    const [conditions, others] = [all.filter(isCondition), all.filter((rule) => !isCondition(rule))];
    return { name, isAsked: conditions.map(toCondition), isKept: others.map(toCheck) };
  });
  return {
    fields: [...ofField.keys()],
    isSurelyValid: (instance) =>
      fields.length > 0 &&
      fields.every(({ name, isAsked, isKept }) => {
        const value: unknown = Reflect.get(instance, name);
        const holds = (check: Check) => check(instance, value);
        return !isAsked.every(holds) || isKept.every(holds);
      }),
  };
}

function isCondition({ type }: Metadata): boolean {
  return type === ValidationTypes.CONDITIONAL_VALIDATION;
}

function toCondition({ constraints }: Metadata): Check {
  const [isAsked] = constraints as [Check];
  return isAsked;
}

function toCheck(rule: Metadata): Check {
  const { type, each, groups, validateIf, constraintCls, constraints, propertyName: property } = rule;
  const isPlain =
    type === ValidationTypes.CUSTOM_VALIDATION && !each && groups.length === 0 && validateIf === undefined;
  if (!isPlain) return () => false;
  const validators = getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }) => instance);
  return (object, value) => {
    const context = { targetName: object.constructor.name, property, object, value, constraints };
    // A promise is not true.
    return validators.every((validator) => validator.validate(value, context) === true);
  };
}
