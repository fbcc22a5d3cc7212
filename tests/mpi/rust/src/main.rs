//! Each rank sends to the next before it receives; and a collective, by way of the crate's traits.
use mpi::collective::SystemOperation;
use mpi::traits::*;

fn exchange<C: Communicator>(world: &C) -> i32 {
    let next = (world.rank() + 1) % world.size();
    let before = (world.rank() + world.size() - 1) % world.size();
    world.process_at_rank(next).send(&world.rank()); // MPI_Send
    let (got, _) = world.process_at_rank(before).receive::<i32>(); // MPI_Recv
    got
}

fn main() {
    let universe = mpi::initialize().unwrap(); // MPI_Init_thread
    let world = universe.world();
    let mut sum = 0;
    world.all_reduce_into(&exchange(&world), &mut sum, SystemOperation::sum()); // MPI_Allreduce
    let request = [1].iter().map(|_| world.barrier()).count(); // MPI_Barrier
    println!("{} {}", sum, request);
}
