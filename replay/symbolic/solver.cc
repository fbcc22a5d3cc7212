/* CaDiCaL's interface of C has no proofs and no first values, so that of C++ is used. No exception
 * leaves this file. */
#include "replay/symbolic/solver.h"

#include <cadical.hpp>

#include <new>

/* Counts conflicts: each learns one clause. */
struct counter : CaDiCaL::Learner {
    uint64_t count = 0;
    bool learning(int) override
    {
        count++;
        return false;
    }
    void learn(int) override {}
};

struct solver {
    CaDiCaL::Solver solver;
    counter learned;
    bool proves = false;
};

struct solver *solver_new(FILE *proof)
{
    try {
        struct solver *solver = new struct solver;
        solver->solver.set("quiet", 1);
        if (proof) {
            solver->solver.set("binary", 0);
            solver->solver.trace_proof(proof, "proof");
            solver->proves = true;
        }
        solver->solver.connect_learner(&solver->learned);
        return solver;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void solver_free(struct solver *solver)
{
    if (solver)
        solver->solver.disconnect_learner();
    delete solver;
}

bool solver_add(struct solver *solver, int32_t literal)
{
    try {
        solver->solver.add(literal);
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

void solver_prefer(struct solver *solver, int32_t literal)
{
    try {
        solver->solver.phase(literal);
    } catch (const std::bad_alloc &) {
    }
}

enum solver_answer solver_solve(struct solver *solver, int32_t conflicts_max)
{
    try {
        solver->solver.limit("conflicts", conflicts_max);
        int answer = solver->solver.solve();
        return answer == 10 ? SOLVER_MODEL : answer == 20 ? SOLVER_NONE : SOLVER_OPEN;
    } catch (const std::bad_alloc &) {
        return SOLVER_OPEN;
    }
}

bool solver_value(struct solver *solver, int32_t variable)
{
    return solver->solver.val(variable) > 0;
}

uint64_t solver_conflicts(struct solver *solver)
{
    return solver->learned.count;
}

void solver_close_proof(struct solver *solver)
{
    if (solver->proves)
        solver->solver.close_proof_trace();
    solver->proves = false;
}
